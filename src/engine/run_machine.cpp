#include "engine/run_machine.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "engine/attachments.h"

namespace braidlog {

namespace {

constexpr std::size_t kInputs = std::variant_size_v<RunInput>;

constexpr std::size_t kOverlapBytesMax = 200;
constexpr std::size_t kOverlapBytesMin = 8;  // less is more likely chance than repetition

// How many bytes at the front of `text` repeat the end of `said`. When `text` was cut it may have been a repetition
// that did not come to that end; a text that is whole and stands further up was meant.
std::size_t overlap(std::string_view said, std::string_view text, bool cut) {
  const auto tail = said.substr(said.size() - std::min(said.size(), kOverlapBytesMax));
  if (cut && text.size() >= kOverlapBytesMin && tail.find(text) != std::string_view::npos) return text.size();
  for (std::size_t n = std::min({kOverlapBytesMax, said.size(), text.size()}); n > 0; --n) {
    if (n < kOverlapBytesMin && n < said.size()) return 0;
    if (said.ends_with(text.substr(0, n))) return n;
  }
  return 0;
}

FailureCode failure_of(ErrorCode code) {
  if (code == ErrorCode::kProviderTimeout) return FailureCode::kProviderTimeout;
  if (code == ErrorCode::kProviderRateLimited) return FailureCode::kRateLimited;
  if (code == ErrorCode::kUpstreamTruncated) return FailureCode::kUpstreamTruncated;
  if (code == ErrorCode::kLimitExceeded) return FailureCode::kLimitExceeded;
  return FailureCode::kProvider;
}

}  // namespace

RunPhase phase_of(const RunState& state) {
  if (is_over(state.ended)) return RunPhase::kOver;
  if (state.interrupt_reason) return RunPhase::kInterrupting;
  if (state.turns.empty()) return RunPhase::kQueued;
  return state.is_thinking() ? RunPhase::kThinking : RunPhase::kActing;
}

// The course of a run. A null entry is an input that came too late, or too early, and changes nothing.
RunMachine::Handler RunMachine::handler(RunPhase phase, std::size_t input_index) {
  using M = RunMachine;
  constexpr Handler __ = nullptr;
  static constexpr std::array<std::array<Handler, kInputs>, kRunPhases> kTable{{
      // Begin, Resume, Text, Reasoning, ToolCall, ToolArgs, ModelDone, ModelBroke, ToolDone, Decision,
      // Expired,
      // Interrupt, GraceOver, TimeUp, CodeCalled, CodeEnded, FileRead
      /* kQueued */
      {&M::begin, &M::resume, __, __, __, __, __, __, __, __, __, &M::interrupt, __, &M::time_up, __, __,
       &M::file_read},
      /* kThinking */
      {__, &M::resume, &M::model_text, &M::model_reasoning, &M::model_tool_call, &M::model_tool_args, &M::model_done,
       &M::model_broke, __, __, __, &M::interrupt, __, &M::time_up, __, __, __},
      /* kActing */
      {__, &M::resume, __, __, __, __, __, __, &M::tool_done, &M::decision, &M::expired, &M::interrupt, __, &M::time_up,
       &M::code_called, &M::code_ended, __},
      /* kInterrupting */
      {__, &M::resume, __, __, __, __, __, __, &M::tool_done, __, __, __, &M::grace_over, &M::grace_over, __, __, __},
      /* kOver */ {__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __},
  }};
  return kTable[static_cast<std::size_t>(phase)][input_index];
}

bool RunMachine::expects(RunPhase phase, std::size_t input_index) {
  return handler(phase, input_index) != nullptr;
}

RunMachine::RunMachine(std::shared_ptr<const RunnableAgent> agent, const Limits& limits, SessionPolicy policy,
                       IdSource& ids, RunState state)
    : limits_(limits), state_(std::move(state)), agent_(std::move(agent)), policy_(std::move(policy)), ids_(ids) {}

RunStep& RunMachine::handle(const RunInput& input, Moment now) {
  constexpr std::size_t kKeptEvents = 2;  // what a token makes; runs are many
  if (step_.events.capacity() > kKeptEvents) step_.events = std::vector<RunEvent>();  // `= {}` would keep it
  step_.events.clear();
  step_.commands.clear();
  now_ = now;
  if (const Handler handle = handler(phase_of(state_), input.index())) (this->*handle)(input);
  return step_;
}

bool RunMachine::say_on(std::string_view text, Moment now, RunEvent& event) {
  const bool is_said = state_.text_open && !state_.reasoning_open && !holding_ && !text.empty() && first_chunk_ms_;
  if (!is_said || phase_of(state_) != RunPhase::kThinking || is_silent_turn()) return false;
  if (state_.output_bytes + text.size() > limits_.output_bytes_max) return false;
  event.sequence = state_.last.next();
  event.at = now.at;
  event.elapsed_ms = now.elapsed_ms;
  auto* const before = std::get_if<TextDelta>(&event.body);  // mostly; its memory is used again
  TextDelta& delta = before != nullptr ? *before : event.body.emplace<TextDelta>();
  delta.turn = static_cast<std::uint32_t>(state_.turns.size());
  delta.part = state_.parts;
  delta.text.assign(text);
  state_.apply(event);
  return true;
}

// ---- turns ----

void RunMachine::begin(const RunInput& input) {
  const auto& turn = std::get<Begin>(input).turn;
  if (!state_.is_begun) {
    if (!turn) return;  // it waits
    emit(make_started(state_.request, *turn, *agent_, ids_));
  }
  begin_work();
}

void RunMachine::begin_work() {
  if (const auto unread = state_.next_unread_attachment()) return command(ReadFile{*unread});
  go_on();
}

void RunMachine::file_read(const RunInput& input) {
  const auto& [index, found] = std::get<FileRead>(input);
  if (!state_.is_begun || state_.next_unread_attachment() != index) return;
  if (!found) {
    const std::string& name = state_.request.attachments[index].name;
    if (found.error().code == ErrorCode::kBadFile) {
      return fail_run(FailureCode::kBadFile, name + " " + found.error().message);
    }
    // What is wrong with this host is for its operator, in the server's log.
    return fail_run(FailureCode::kInternal, name + " could not be read by this server");
  }
  emit(AttachmentRead{index, shown_text(*found, limits_)});
  begin_work();
}

void RunMachine::go_on() {
  const bool between_tasks = state_.request.way == Way::kExecute && !state_.task && !state_.reflects_on;
  between_tasks ? next_task() : next_turn();
}

// A turn that a restart cut is no step of the agent's; only the server's own limit counts it.
std::size_t RunMachine::answers_so_far() const {
  return static_cast<std::size_t>(std::ranges::count_if(state_.turns, [&](const TurnState& turn) {
    return turn.purpose == TurnPurpose::kAnswer && turn.task == state_.task && turn.finish != FinishReason::kAborted;
  }));
}

TurnPurpose RunMachine::next_purpose() const {
  if (state_.reflects_on) return TurnPurpose::kReflection;
  if (state_.request.way != Way::kSteps) return TurnPurpose::kAnswer;
  if (answers_so_far() >= agent_->agent.max_steps) return TurnPurpose::kFinal;
  const unsigned interval = agent_->agent.planning_interval;
  const bool plans = interval > 0 && (!state_.has_plan || state_.actions_unplanned >= interval);
  return plans ? TurnPurpose::kPlan : TurnPurpose::kAnswer;
}

void RunMachine::next_turn(bool continues) {
  const auto turns = state_.turns.size();
  const TurnPurpose purpose = next_purpose();
  const bool used_up = purpose == TurnPurpose::kAnswer && answers_so_far() >= agent_->agent.max_steps;
  if (used_up && state_.task) return finish_task(TaskStatus::kFailed, "The task used all its turns without a result");
  if (used_up || turns >= limits_.turns_max) {
    return fail_run(FailureCode::kMaxSteps, "The agent used all its steps without an answer");
  }
  slots_.clear();
  silent_.clear();
  holding_ = continues;
  turn_began_ms_ = now_.elapsed_ms;
  first_chunk_ms_.reset();
  emit(ModelStarted{static_cast<std::uint32_t>(turns + 1), purpose, std::string(agent_->model->provider()),
                    std::string(agent_->model->name()), continues});
  command(CallModel{});
}

void RunMachine::model_text(const RunInput& input) {
  const std::string_view text = std::get<ModelText>(input).text;
  if (text.empty()) return;
  note_first_chunk();
  if (is_silent_turn()) {
    silent_ += text;
  } else if (holding_) {
    held_ += text;
    if (held_.size() >= kOverlapBytesMax) release_held();
  } else {
    say(text);
  }
  output_over_limit();
}

// Its text becomes one event, and is never shown as it comes.
bool RunMachine::is_silent_turn() const {
  const TurnPurpose purpose = state_.turns.back().purpose;
  return purpose == TurnPurpose::kPlan || purpose == TurnPurpose::kReflection;
}

void RunMachine::note_first_chunk() {
  if (!first_chunk_ms_) first_chunk_ms_ = now_.elapsed_ms - turn_began_ms_;
}

// A model that is told to go on often begins with its last words again, some think before they do.
void RunMachine::release_held(bool cut) {
  if (held_.empty()) return;
  holding_ = false;
  const std::string text = std::exchange(held_, {});
  const std::size_t repeated = overlap(state_.turns.back().text, text, cut);
  if (repeated < text.size()) say(std::string_view(text).substr(repeated));
}

void RunMachine::say(std::string_view text) {
  const auto turn = static_cast<std::uint32_t>(state_.turns.size());
  if (state_.reasoning_open) emit(ReasoningFinished{turn, state_.parts});
  if (!state_.text_open) {
    // Part 0 is the engine's own: it stands between the texts of two turns and belongs to neither.
    if (!state_.text.empty() && state_.turns.back().text.empty()) emit(TextDelta{turn, 0, "\n\n"});
    emit(TextStarted{turn, state_.parts + 1});
  }
  emit(TextDelta{turn, state_.parts, std::string(text)});
}

void RunMachine::model_reasoning(const RunInput& input) {
  const auto& text = std::get<ModelReasoning>(input).text;
  if (text.empty()) return;
  note_first_chunk();
  release_held();
  const auto turn = static_cast<std::uint32_t>(state_.turns.size());
  if (state_.text_open) emit(TextFinished{turn, state_.parts});
  if (!state_.reasoning_open) emit(ReasoningStarted{turn, state_.parts + 1});
  emit(ReasoningDelta{turn, state_.parts, std::string(text)});
  output_over_limit();
}

void RunMachine::model_tool_call(const RunInput& input) {
  const auto& call = std::get<ModelToolCall>(input);
  // Where no tools were offered there are none to call.
  if (slots_.contains(call.slot) || state_.turns.back().purpose != TurnPurpose::kAnswer) return;
  if (state_.calls.size() >= limits_.tool_calls_max) {
    return fail_run(FailureCode::kLimitExceeded, "The run made too many tool calls");
  }
  note_first_chunk();
  close_parts();
  const auto id = ids_.make<ToolCallId>();
  slots_[call.slot] = id;
  emit(ToolCallStarted{id, static_cast<std::uint32_t>(state_.turns.size()), call.name, call.provider_call_id});
}

void RunMachine::model_tool_args(const RunInput& input) {
  const auto& args = std::get<ModelToolArgs>(input);
  const auto slot = slots_.find(args.slot);
  if (slot == slots_.end() || args.fragment.empty()) return;
  emit(ToolArgsDelta{slot->second, args.fragment});
  output_over_limit();
}

bool RunMachine::output_over_limit() {
  if (state_.output_bytes + silent_.size() <= limits_.output_bytes_max) return false;
  fail_run(FailureCode::kLimitExceeded, "The model wrote more than a run may hold");
  return true;
}

void RunMachine::model_done(const RunInput& input) {
  const auto& finish = std::get<ModelDone>(input).finish;
  close_parts();
  const bool cut = finish.reason == FinishReason::kLength || finish.reason == FinishReason::kContentFilter;
  bool cut_call = false;
  for (std::size_t i = 0; i < state_.calls.size(); ++i) {
    const ToolCallState call = state_.calls[i];
    if (call.phase != CallPhase::kStreaming) continue;
    if (cut) {
      // The arguments may be incomplete although they parse: such a call is never run.
      emit(ToolCallAbandoned{call.id, "the answer was cut"});
      cut_call = true;
      continue;
    }
    const auto args = parse_json(call.args_text.empty() ? "{}" : call.args_text);
    const bool is_object = args && args->is_object();
    emit(ToolCallReady{call.id, call.name, is_object ? to_json(*args) : "{}"});
    if (!is_object) {
      emit(ToolFinished{call.id, call.name, ToolStatus::kInvalidArguments, "null",
                        "The arguments of this call are not a JSON object; it was not run."});
    }
  }
  emit(ModelFinished{static_cast<std::uint32_t>(state_.turns.size()), finish.reason, finish.raw_reason,
                     finish.response_id, finish.usage, first_chunk_ms_.value_or(0), finish.opaque, finish.answered_by});
  if (cut_call) return model_failed(FailureCode::kUpstreamTruncated, "The model's answer was cut inside a tool call");
  if (finish.reason == FinishReason::kError || finish.reason == FinishReason::kAborted) {
    return model_failed(FailureCode::kProvider, "The model ended its answer with an error");
  }
  turn_over();
}

// The model has said all it had to say in this turn.
void RunMachine::turn_over() {
  const TurnState& turn = state_.turns.back();
  switch (turn.purpose) {
    case TurnPurpose::kPlan: emit(PlanMade{state_.steps + 1, std::exchange(silent_, {}), turn.usage}); return go_on();
    case TurnPurpose::kReflection:
      emit(ReflectionMade{state_.reflects_on.value_or(TaskId{}), std::exchange(silent_, {})});
      return go_on();
    case TurnPurpose::kFinal: return complete();
    case TurnPurpose::kAnswer: break;
  }
  if (!start_code()) act();
}

// A task that cannot be done does not end the others.
void RunMachine::model_failed(FailureCode code, const std::string& message) {
  if (state_.reflects_on) {
    emit(ReflectionMade{*state_.reflects_on, "No reflection was written: " + message + "."});
    return go_on();
  }
  if (state_.task) return finish_task(TaskStatus::kFailed, message);
  fail_run(code, message);
}

void RunMachine::model_broke(const RunInput& input) {
  const auto& error = std::get<ModelBroke>(input).error;
  command(CancelModel{});
  const bool may_fall_back = error.code == ErrorCode::kToolsRefused && !state_.without_tools && !first_chunk_ms_;
  const bool has_text = !state_.turns.back().text.empty();  // of an answer that a restart cut
  close_model_turn(may_fall_back ? FinishReason::kAborted : FinishReason::kError, "");
  if (!may_fall_back) return model_failed(failure_of(error.code), error.message);
  emit(Warning{std::string(kToolFallback), "Tool-enabled streaming encountered an issue. Continuing without tools."});
  next_turn(has_text);
}

void RunMachine::close_parts(bool cut) {
  release_held(cut);
  const auto turn = static_cast<std::uint32_t>(state_.turns.size());
  if (state_.text_open) emit(TextFinished{turn, state_.parts});
  if (state_.reasoning_open) emit(ReasoningFinished{turn, state_.parts});
}

void RunMachine::close_model_turn(FinishReason finish, std::string raw) {
  close_parts(true);
  for (std::size_t i = 0; i < state_.calls.size(); ++i) {
    if (state_.calls[i].phase == CallPhase::kStreaming) {
      emit(ToolCallAbandoned{state_.calls[i].id, "the answer did not come to its end"});
    }
  }
  ModelFinished event;
  event.turn = static_cast<std::uint32_t>(state_.turns.size());
  event.finish = finish;
  event.finish_raw = std::move(raw);
  emit(std::move(event));
}

}  // namespace braidlog
