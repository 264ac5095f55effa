#include "script_model.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <set>
#include <span>

#include "cast.h"
#include "story.h"

namespace braidlog::sim {

namespace {

constexpr std::size_t kTurnsWithTools = 4;    // after so many turns it answers, so that runs stay short
constexpr std::int64_t kRecognisedBytes = 8;  // a shorter repetition may be chance

using Action = std::function<void(ModelSink&)>;

// One answer, written when the call begins.
class Script {
 public:
  Script(World& world, const ModelRequest& request) : world_(world), request_(request) {
    if (chance().percent(25)) think();
    speak();
    call_tools();
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
    const auto turns = std::ranges::count(request_.messages, ModelMessage::Role::kAssistant, &ModelMessage::role);
    if (static_cast<std::size_t>(turns) >= kTurnsWithTools || !chance().percent(world_.profile.tool_calls)) return;
    calls_ = static_cast<unsigned>(chance().between(1, 3));
    for (unsigned slot = 0; slot < calls_; ++slot) {
      const std::string name = chance().percent(5) || request_.tools.empty() ? std::string(kUnknownTool)
                                                                             : chance().pick(request_.tools).name;
      const std::string id = chance().percent(80) ? "p" + std::to_string(slot) : "";
      actions_.push_back([=](ModelSink& sink) { sink.on_tool_call(slot, id, name); });
      const std::string args = arguments();
      const std::size_t half = chance().below(args.size() + 1);
      actions_.push_back([=, text = args.substr(0, half)](ModelSink& sink) { sink.on_tool_args(slot, text); });
      actions_.push_back([=, text = args.substr(half)](ModelSink& sink) { sink.on_tool_args(slot, text); });
    }
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
    if (chance().percent(3)) finish.reason = FinishReason::kLength;
    if (chance().percent(2)) finish.reason = FinishReason::kContentFilter;
    if (chance().percent(80)) finish.usage = Usage{10, static_cast<std::uint64_t>(chance().between(1, 50)), 0, 0, 0};
    actions_.push_back([finish](ModelSink& sink) { sink.on_finished(finish); });
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
  unsigned calls_ = 0;
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
  if (last.role != ModelMessage::Role::kAssistant || last.text.empty() || !is_story(last.text)) {
    world_.violate("a model was told to go on with what it never said");
  }
}

// Everything that was said in the session before, and then what the user says now.
void ScriptModel::check_past(const ModelRequest& request) {
  const auto& messages = request.messages;
  const auto last =
      std::ranges::find(messages.rbegin(), messages.rend(), ModelMessage::Role::kUser, &ModelMessage::role);
  if (last == messages.rend()) return world_.violate("a prompt asks nothing");
  const std::span past(messages.begin(), last.base());
  bool was_said = false;
  for (const auto& [id, session] : world_.tables.sessions) {
    const auto& said = session.messages;
    was_said = was_said || std::ranges::find(said, last->text, &api::Message::content) != said.end();
    if (std::ranges::equal(past, std::span(said).first(std::min(said.size(), past.size())), {}, &ModelMessage::text,
                           &api::Message::content)) {
      return;
    }
  }
  // A session that is deleted has no past.
  if (was_said) world_.violate("a prompt does not tell what was said before: ", last->text);
}

}  // namespace braidlog::sim
