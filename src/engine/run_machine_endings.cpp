// The part of the run machine that ends runs, and that takes up runs which a restart left unfinished.
#include <algorithm>

#include "engine/run_machine.h"

namespace braidlog {

namespace {

ToolFinished outcome_unknown_after_restart(const ToolCallState& call) {
  return {call.id, call.name, ToolStatus::kOutcomeUnknown, "null",
          "The server restarted while this tool ran; its outcome is unknown after a restart."};
}

}  // namespace

void RunMachine::interrupt(const RunInput& input) {
  const RunOrder& order = std::get<InterruptOrdered>(input).order;
  drop_turn();
  emit(InterruptRequested{order.user_id, order.reason});
  stop_working();
  finish_interrupt();
  if (!is_over(state_.ended)) command(StartGrace{});
}

// A run that ends before its turn came has begun all the same: every log has a start.
void RunMachine::drop_turn() {
  if (!state_.is_begun) emit(make_dropped(state_.request, *agent_, ids_));
}

void RunMachine::stop_working() {
  if (state_.is_thinking()) {
    command(CancelModel{});
    close_model_turn(FinishReason::kAborted, "");
  }
  stop_code();
  for (std::size_t i = 0; i < state_.calls.size(); ++i) {
    const ToolCallState call = state_.calls[i];
    if (call.phase == CallPhase::kWaiting) refuse(call, "interrupted", "");
    if (call.phase == CallPhase::kReady || call.phase == CallPhase::kPermitted) {
      emit(ToolCallAbandoned{call.id, "interrupted"});
    }
  }
}

void RunMachine::finish_interrupt() {
  const bool tool_runs = std::ranges::count(state_.calls, CallPhase::kRunning, &ToolCallState::phase) > 0;
  if (!tool_runs) emit(RunInterrupted{state_.interrupt_reason.value_or("user")});
}

void RunMachine::grace_over(const RunInput&) {
  command(DropTools{});
  for (std::size_t i = 0; i < state_.calls.size(); ++i) {
    const ToolCallState call = state_.calls[i];
    if (call.phase != CallPhase::kRunning) continue;
    emit(ToolFinished{call.id, call.name, ToolStatus::kOutcomeUnknown, "null",
                      "The run was interrupted while this tool ran; its outcome is unknown."});
  }
  finish_interrupt();
}

void RunMachine::time_up(const RunInput&) {
  fail_run(FailureCode::kLimitExceeded, "The run used up its time");
}

void RunMachine::complete(std::optional<json::value> answer) {
  RunCompleted event;
  if (state_.request.way == Way::kExecute) {
    for (const auto& task : state_.tasks) {
      event.tasks_total += task.worked_on;
      event.tasks_done += task.worked_on && task.item.status == TaskStatus::kDone;
      event.tasks_failed += task.worked_on && task.item.status == TaskStatus::kFailed;
    }
    event.final_text = std::to_string(event.tasks_done) + " of " + std::to_string(event.tasks_total) + " tasks done";
  } else if (answer) {
    event.final_json = to_json(*answer);
    event.final_text = answer->is_string() ? std::string(answer->get_string()) : *event.final_json;
    event.message_text = event.final_text;
    if (agent_->agent.style == api::Style::kTools && !state_.text.empty()) {
      event.message_text = state_.text + "\n\n" + event.final_text;
    }
  } else {
    event.final_text = state_.turns.back().text;
    event.message_text = agent_->agent.style == api::Style::kCode ? event.final_text : state_.text;
  }
  event.usage = state_.usage;
  event.message_position = state_.begun.message_position + (event.message_text.empty() ? 0 : 1);
  event.title = new_title_.value_or(state_.begun.title);
  emit(std::move(event));
}

// Whatever is still open is closed first, so that a log never ends with half a call.
void RunMachine::fail_run(FailureCode code, std::string message) {
  stop_working();
  for (std::size_t i = 0; i < state_.calls.size(); ++i) {
    const ToolCallState call = state_.calls[i];
    if (call.phase != CallPhase::kRunning) continue;
    emit(ToolFinished{call.id, call.name, ToolStatus::kOutcomeUnknown, "null",
                      "The run failed while this tool ran; its outcome is unknown."});
  }
  command(DropTools{});
  emit(RunFailed{code, std::move(message)});
}

// ---- after a restart ----

void RunMachine::resume(const RunInput&) {
  const bool client_is_gone = state_.request.stops_with_client && !state_.interrupt_reason;
  drop_turn();
  if (client_is_gone) return end_without_client();
  emit(RunResumed{"restart"});
  for (std::size_t i = 0; i < state_.calls.size(); ++i) {
    const ToolCallState call = state_.calls[i];
    if (call.phase == CallPhase::kWaiting && call.expires_ms != 0)
      command(WatchExpiry{*call.approval, call.expires_ms});
    if (call.phase != CallPhase::kRunning) continue;
    const Tool* tool = agent_->find_tool(call.name);
    if (tool != nullptr && (!tool->spec().writes || tool->spec().idempotent) && !state_.interrupt_reason) {
      command(StartTool{call.id});
    } else {
      emit(outcome_unknown_after_restart(call));
    }
  }
  if (state_.interrupt_reason) {
    stop_working();
    return finish_interrupt();
  }
  if (state_.turns.empty()) return begin_work();
  if (state_.is_thinking()) return resume_thinking();
  // Code that had touched nothing outside its sandbox runs again; other code cannot be taken up where it was.
  if (state_.code_open && std::ranges::count(state_.calls, state_.turns.size(), &ToolCallState::turn) == 0) {
    code_runs_ = true;
    return command(RunCode{});
  }
  act();
}

// Nobody asked for the end, but nobody is there any more who wants the rest.
void RunMachine::end_without_client() {
  for (std::size_t i = 0; i < state_.calls.size(); ++i) {
    const ToolCallState call = state_.calls[i];
    if (call.phase == CallPhase::kRunning) emit(outcome_unknown_after_restart(call));
  }
  stop_working();
  emit(RunInterrupted{"restart"});
}

void RunMachine::resume_thinking() {
  const bool has_text = !state_.turns.back().text.empty();
  close_model_turn(FinishReason::kAborted, "");
  next_turn(has_text);
}

}  // namespace braidlog
