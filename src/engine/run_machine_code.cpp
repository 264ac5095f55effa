// The part of the run machine that acts by code in the sandbox.
#include <algorithm>

#include "base/json.h"
#include "engine/code_block.h"
#include "engine/run_machine.h"

namespace braidlog {

namespace {

constexpr char kVariablesGone[] = "(The server restarted: variables of earlier code are gone.)\n";
constexpr char kProcessGone[] = "(The sandbox was started anew: variables of earlier code are gone.)\n";

// What the code printed, and its value.
std::string observed(const CodeOutcome& outcome) {
  std::string text = outcome.printed;
  if (!outcome.value) return text;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text + *outcome.value;
}

}  // namespace

// True: the answer holds code, which is now the run's next step.
bool RunMachine::start_code() {
  if (agent_->agent.style != api::Style::kCode) return false;
  const TurnState& turn = state_.turns.back();
  const auto number = static_cast<std::uint32_t>(state_.turns.size());
  if (std::ranges::count(state_.calls, number, &ToolCallState::turn) > 0) return false;
  const auto block = find_code(turn.text);
  if (!block) return false;
  const char* fault = nullptr;
  if (!block->is_closed && turn.finish != FinishReason::kStop)
    fault = "The answer was cut inside its code; it was not run.";
  if (block->code.size() > limits_.code_bytes_max) fault = "The code is longer than the code limit; it was not run.";
  if (fault != nullptr) {
    emit(StepFinished{state_.steps + 1, number, block->around, block->code, {}, fault, turn.usage});
    next_turn();
    return true;
  }
  emit(CodeStarted{number, block->code});
  code_runs_ = true;
  command(RunCode{});
  return true;
}

// The code calls a tool: from here on it is a call like any other.
void RunMachine::code_called(const RunInput& input) {
  const auto& called = std::get<CodeCalled>(input);
  if (!code_runs_ || code_waits_) return;
  if (state_.calls.size() >= limits_.tool_calls_max) {
    return fail_run(FailureCode::kLimitExceeded, "The run made too many tool calls");
  }
  const auto id = ids_.make<ToolCallId>();
  const std::string args = to_json(called.args);
  emit(ToolCallStarted{id, static_cast<std::uint32_t>(state_.turns.size()), called.name, {}, true});
  emit(ToolArgsDelta{id, args});
  emit(ToolCallReady{id, called.name, args});
  code_waits_ = id;
  if (!output_over_limit()) act();
}

void RunMachine::code_ended(const RunInput& input) {
  const auto& outcome = std::get<CodeEnded>(input).outcome;
  if (!code_runs_) return;
  code_runs_ = false;
  code_waits_.reset();
  if (outcome.unavailable) return fail_run(FailureCode::kInternal, outcome.error.value_or("Code cannot be run"));
  // The process went while it waited for a tool: what did not start yet will not.
  for (std::size_t i = 0; i < state_.calls.size(); ++i) {
    const ToolCallState call = state_.calls[i];
    if (call.phase == CallPhase::kWaiting) refuse(call, "interrupted", "");
    if (call.phase == CallPhase::kReady || call.phase == CallPhase::kPermitted) {
      emit(ToolCallAbandoned{call.id, "the code that made it is gone"});
    }
  }
  code_ended_ = outcome;
  act();
}

void RunMachine::finish_code(const CodeOutcome& outcome) {
  const TurnState& turn = state_.turns.back();
  const auto block = find_code(turn.text);
  const bool had_code = std::ranges::any_of(state_.turns.begin(), state_.turns.end() - 1,
                                            [](const TurnState& earlier) { return earlier.code.has_value(); });
  StepFinished step{state_.steps + 1, static_cast<std::uint32_t>(state_.turns.size()), {}, turn.code, {}, {},
                    turn.usage};
  step.model_output = block ? block->around : turn.text;
  if (state_.variables_lost && had_code) step.observations = kVariablesGone;
  step.observations += observed(outcome);
  step.error = outcome.error;
  if (outcome.lost) {
    if (!step.observations.empty() && !step.observations.ends_with('\n')) step.observations += '\n';
    step.observations += kProcessGone;
  }
  emit(std::move(step));
  if (ends_by_refusal()) return;
  if (const ToolCallState* given_up = own_call("fail_task"); given_up != nullptr && state_.task) {
    return finish_task(TaskStatus::kFailed, given_up->result_text);
  }
  if (!outcome.final) return output_over_limit() ? void() : next_turn();
  if (!state_.task) return complete(outcome.final);
  finish_task(TaskStatus::kDone,
              outcome.final->is_string() ? std::string(outcome.final->get_string()) : to_json(*outcome.final));
}

// What is said of code that a restart ended after it had called tools: their results stand, the rest is unknown.
CodeOutcome RunMachine::lost_code() const {
  CodeOutcome outcome;
  for (const auto& call : state_.calls) {
    if (call.turn == state_.turns.size()) outcome.printed += call.name + ": " + call.result_text + "\n";
  }
  outcome.error = "The server restarted while this code ran; what it had not done yet was not done.";
  return outcome;
}

void RunMachine::stop_code() {
  if (!state_.code_open) return;
  code_runs_ = false;
  code_waits_.reset();
  code_ended_.reset();
  command(StopCode{});
}

}  // namespace braidlog
