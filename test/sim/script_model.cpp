#include "script_model.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <set>
#include <span>

#include "cast.h"
#include "own_arguments.h"

namespace braidlog::sim {

namespace {

constexpr std::size_t kTurnsWithTools = 4;    // after so many turns it answers, so that runs stay short
constexpr std::int64_t kRecognisedBytes = 8;  // a shorter repetition may be chance
constexpr std::string_view kTaskBrief = "Task: ";

// Where the engine's own words begin: what came before was said in the session.
bool is_of_client(const ModelMessage& message) {
  const std::string_view text = message.text;
  return message.role == ModelMessage::Role::kUser && (text.starts_with("do-") || text.starts_with("say-"));
}
bool is_brief(const ModelMessage& message) {
  return message.role == ModelMessage::Role::kUser && message.text.starts_with(kTaskBrief);
}
// The message behind the last that the client said, or the first of the task in hand.
std::size_t turns_begin(const std::vector<ModelMessage>& messages) {
  const auto brief = std::ranges::find_if(messages, is_brief);
  if (brief != messages.end()) return static_cast<std::size_t>(brief - messages.begin());
  const auto said = std::ranges::find_if(messages.rbegin(), messages.rend(), is_of_client);
  return static_cast<std::size_t>(said.base() - messages.begin());
}

using Action = std::function<void(ModelSink&)>;

// One answer, written when the call begins.
class Script {
 public:
  Script(World& world, const ModelRequest& request) : world_(world), request_(request) {
    const std::size_t begin = turns_begin(request.messages);
    turns_ = static_cast<std::size_t>(std::ranges::count(request.messages.begin() + static_cast<std::ptrdiff_t>(begin),
                                                         request.messages.end(), ModelMessage::Role::kAssistant,
                                                         &ModelMessage::role));
    if (chance().percent(25)) think();
    speaks_code() ? speak_code() : speak();
    if (!has_code_) call_tools();
    end();
  }
  std::deque<Action> take() { return std::move(actions_); }

 private:
  Random& chance() { return world_.random; }

  void think() {
    for (auto pieces = chance().between(1, 3); pieces > 0; --pieces) {
      actions_.push_back([](ModelSink& sink) { sink.on_reasoning("hm "); });
    }
  }
  // What was begun goes on as it began.
  bool speaks_code() {
    if (!request_.writes_code || request_.purpose != TurnPurpose::kAnswer) return false;
    if (request_.continue_last) return world_.coded.find(request_.messages.back().text) != nullptr;
    return turns_ < kTurnsWithTools && chance().percent(world_.profile.tool_calls);
  }
  void speak_code() {
    has_code_ = true;
    const bool goes_on = request_.continue_last;
    const auto some = [&] { return static_cast<std::size_t>(chance().between(0, 40)); };
    const auto& answer =
        goes_on ? *world_.coded.find(request_.messages.back().text) : world_.coded.tell(some(), some(), some());
    const std::size_t said = goes_on ? request_.messages.back().text.size() : 0;
    std::size_t at = said - repeated_bytes(said);
    for (bool is_first = true; at < answer.text.size(); is_first = false) {
      // Its word comes whole, and so does what is told again.
      const auto least = is_first ? static_cast<std::int64_t>(kWordBytes) : 1;
      const auto bytes = static_cast<std::size_t>(chance().between(least, 50));
      actions_.push_back([text = answer.text.substr(at, bytes)](ModelSink& sink) { sink.on_text(text); });
      at += bytes;
    }
  }
  void speak() {
    const std::size_t said = request_.continue_last ? request_.messages.back().text.size() : 0;
    std::size_t at = said - repeated_bytes(said);
    // Whoever begins to repeat says enough at once to be recognised, and comes to the end of it.
    const bool may_be_silent = request_.continue_last || chance().percent(6);
    auto pieces = chance().between(may_be_silent ? 0 : 1, 6);
    for (bool is_first = true; pieces > 0 || at < said; --pieces, is_first = false) {
      const auto least = is_first && at < said ? kRecognisedBytes : 1;
      const auto bytes = static_cast<std::size_t>(chance().between(least, world_.profile.wide_texts ? 9'000 : 30));
      actions_.push_back([text = story(at, bytes)](ModelSink& sink) { sink.on_text(text); });
      at += bytes;
    }
  }
  // Of its last words, told again before it goes on: none, so many that they are recognised, or all.
  std::size_t repeated_bytes(std::size_t said) {
    if (chance().percent(50)) return 0;
    const auto most = static_cast<std::int64_t>(std::min<std::size_t>(said, 200));
    return static_cast<std::size_t>(most <= kRecognisedBytes ? most : chance().between(kRecognisedBytes, most));
  }

  void call_tools() {
    const bool may_call = !request_.writes_code || chance().percent(10);
    if (turns_ >= kTurnsWithTools || !may_call || !chance().percent(world_.profile.tool_calls)) return;
    calls_ = static_cast<unsigned>(chance().between(1, 3));
    for (unsigned slot = 0; slot < calls_; ++slot) {
      const std::string name = pick_tool();
      const std::string id = chance().percent(80) ? "p" + std::to_string(slot) : "";
      actions_.push_back([=](ModelSink& sink) { sink.on_tool_call(slot, id, name); });
      const std::string args =
          is_engine_tool(name) && !chance().percent(5) ? to_json(own_arguments(world_, name)) : arguments();
      const std::size_t half = chance().below(args.size() + 1);
      actions_.push_back([=, text = args.substr(0, half)](ModelSink& sink) { sink.on_tool_args(slot, text); });
      actions_.push_back([=, text = args.substr(half)](ModelSink& sink) { sink.on_tool_args(slot, text); });
    }
  }
  std::string pick_tool() {
    if (chance().percent(5) || request_.tools.empty()) return std::string(kUnknownTool);
    const bool may_list = std::ranges::count(request_.tools, kSetTasks, &ToolOffer::name) > 0;
    return may_list && chance().percent(world_.profile.busy ? 60 : 20) ? std::string(kSetTasks)
                                                                       : chance().pick(request_.tools).name;
  }
  std::string arguments() {
    const std::string token = std::to_string(++world_.last_token);
    switch (chance().below(20)) {
      case 0: return R"({"n":)" + token;                // cut
      case 1: return "[" + token + "]";                 // no object
      case 2: return R"({"bad":1,"n":)" + token + "}";  // against the schema
      default: return R"({"n":)" + token + "}";
    }
  }

  void end() {
    if (chance().percent(world_.profile.model_fails)) return fail();
    ModelFinish finish;
    finish.reason = calls_ > 0 ? FinishReason::kToolCalls : FinishReason::kStop;
    if (chance().percent(3)) cut(finish);
    if (chance().percent(2)) finish.reason = FinishReason::kContentFilter;
    if (chance().percent(80)) finish.usage = Usage{10, static_cast<std::uint64_t>(chance().between(1, 50)), 0, 0, 0};
    actions_.push_back([finish](ModelSink& sink) { sink.on_finished(finish); });
  }
  // The longest that it may be; in mid-code perhaps, which is then never run.
  void cut(ModelFinish& finish) {
    finish.reason = FinishReason::kLength;
    if (has_code_ && !request_.continue_last) actions_.resize(1 + chance().below(actions_.size()));
  }
  // At any point of the answer; a third of them by silence, which somebody else has to notice.
  void fail() {
    actions_.resize(chance().below(actions_.size() + 1));
    if (chance().percent(33)) return;
    const auto codes = {ErrorCode::kProvider, ErrorCode::kProviderTimeout, ErrorCode::kProviderRateLimited,
                        ErrorCode::kUpstreamTruncated};
    const ErrorCode code = chance().pick(std::vector(codes));
    actions_.push_back([code](ModelSink& sink) { sink.on_failed({code, "the model failed", {}}); });
  }

  World& world_;
  const ModelRequest& request_;
  std::deque<Action> actions_;
  std::size_t turns_ = 0;  // that it had so far, for this question or task
  unsigned calls_ = 0;
  bool has_code_ = false;
};

class ScriptCall final : public ModelCall {
 public:
  ScriptCall(World& world, std::deque<Action> actions, ModelSink& sink, Loop& loop)
      : world_(world), actions_(std::move(actions)), sink_(sink), loop_(loop) {
    ++world_.live_model_calls;
    wait();
  }
  ~ScriptCall() override { --world_.live_model_calls; }

 private:
  void wait() {
    if (actions_.empty()) return;
    const auto pause = world_.random.between(0, world_.profile.pace_ms_max);
    timer_ = loop_.after(std::chrono::milliseconds(pause), [this] { tick(); });
  }
  // Several pieces may come at once, as in one packet.
  void tick() {
    for (auto count = world_.random.between(1, 3); count > 0 && !actions_.empty(); --count) {
      const Action action = std::move(actions_.front());
      actions_.pop_front();
      action(sink_);
    }
    wait();
  }

  World& world_;
  std::deque<Action> actions_;
  ModelSink& sink_;
  Loop& loop_;
  Timer timer_;
};

// Whether the past is what was said from the beginning on; a past that is cut begins with a later turn.
bool tells(std::span<const ModelMessage> past, const std::vector<api::Message>& said, bool is_cut) {
  for (std::size_t from = 0; from + past.size() <= said.size(); ++from) {
    const bool may_begin = from == 0 || (is_cut && said[from].role == "user");
    const std::span part(said.begin() + static_cast<std::ptrdiff_t>(from), past.size());
    if (may_begin && std::ranges::equal(past, part, {}, &ModelMessage::text, &api::Message::content)) return true;
    if (!is_cut) return false;
  }
  return false;
}

}  // namespace

std::unique_ptr<ModelCall> ScriptModel::start(ModelRequest request, ModelSink& sink, Loop& loop) {
  check_prompt(request);
  check_past(request);
  return std::make_unique<ScriptCall>(world_, Script(world_, request).take(), sink, loop);
}

// A provider refuses a history with a call that has no result, and one that is to be continued must end with its words.
void ScriptModel::check_prompt(const ModelRequest& request) {
  std::multiset<std::string> open;
  for (const auto& message : request.messages) {
    if (message.role != ModelMessage::Role::kTool && !open.empty())
      world_.violate("a prompt has a call without result");
    for (const auto& call : message.calls) open.insert(call.id);
    if (message.role != ModelMessage::Role::kTool) continue;
    const auto at = open.find(message.call_id);
    if (at == open.end()) return world_.violate("a prompt has a result without call");
    open.erase(at);
  }
  if (!open.empty()) world_.violate("a prompt ends with a call without result");
  if (!request.continue_last) return;
  const auto& last = request.messages.back();
  if (last.role != ModelMessage::Role::kAssistant || last.text.empty() || !world_.coded.is_told(last.text)) {
    world_.violate("a model was told to go on with what it never said");
  }
}

// Everything that was said in the session before, and then what the user says now, or the task in hand.
void ScriptModel::check_past(const ModelRequest& request) {
  const auto& messages = request.messages;
  const std::size_t begin = turns_begin(messages);
  const bool is_task = begin < messages.size() && is_brief(messages[begin]);
  if (begin == 0 && !is_task) return world_.violate("a prompt asks nothing");
  const std::span past(messages.begin(), begin);
  const bool is_cut = request.instructions.find("were left out") != std::string::npos;  // engine/context_window.h
  bool was_said = is_task;
  for (const auto& [id, session] : world_.tables.sessions) {
    const auto& said = session.messages;
    if (!is_task)
      was_said = was_said || std::ranges::find(said, past.back().text, &api::Message::content) != said.end();
    if (is_task && !is_cut && past.size() != said.size()) continue;  // nobody speaks while tasks are done
    if (tells(past, said, is_cut)) return;
  }
  // A session that is deleted has no past.
  if (was_said && !is_task) world_.violate("a prompt does not tell what was said before: ", past.back().text);
  if (is_task && !world_.has_deletions()) world_.violate("a task is done without what was said before");
}

}  // namespace braidlog::sim
