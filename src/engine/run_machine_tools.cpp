// The part of the run machine that decides about tool calls: who may run, who must ask, what a result leads
// to.
#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/json.h"
#include "base/overloaded.h"
#include "base/utf8.h"
#include "engine/effects.h"
#include "engine/own_tools.h"
#include "engine/run_machine.h"
#include "event/engine_tools.h"

namespace braidlog {

void RunMachine::act() {
  bool writer_busy = false;
  const auto writes = [&](const ToolCallState& call) {
    const Tool* tool = agent_->find_tool(call.name);
    return tool == nullptr || tool->spec().writes || tool->spec().changes_session;
  };
  for (const auto& call : state_.calls)
    writer_busy = writer_busy || (call.phase == CallPhase::kRunning && writes(call));
  bool open = false;
  // By index: emitting events changes the calls, never their number.
  for (std::size_t i = 0; i < state_.calls.size(); ++i) {
    const ToolCallState& call = state_.calls[i];
    std::optional<Permission> permission;
    if (call.phase == CallPhase::kPermitted && has_tool(call) && !asks_again(call)) permission = Permission::kApproval;
    if (call.phase == CallPhase::kReady) permission = gate(call);
    // Calls that write run one after the other; one that finds another at work stays as it is until that one
    // is done.
    if (permission && !(writer_busy && writes(call))) {
      writer_busy = writer_busy || writes(call);
      emit(ToolStarted{call.id, call.name, *permission, agent_->find_tool(call.name)->spec().display_running});
      command(StartTool{call.id});
    }
    open = open || !is_closed(call.phase);
    if (code_waits_ == call.id && is_closed(call.phase)) {
      code_waits_.reset();
      if (code_runs_) command(AnswerCode{call.id});
    }
  }
  if (open) return;
  if (!state_.code_open) return finish_turn();
  if (code_runs_) return;
  finish_code(code_ended_ ? *std::exchange(code_ended_, {}) : lost_code());
}

void RunMachine::finish_turn() {
  const auto number = static_cast<std::uint32_t>(state_.turns.size());
  const TurnState& turn = state_.turns.back();
  StepFinished step{state_.steps + 1, number, turn.text, {}, {}, {}, turn.usage};
  bool has_calls = false, has_step = false;
  for (const auto& call : state_.calls) {
    if (call.turn != number || call.phase == CallPhase::kAbandoned) continue;
    has_calls = true;
    if (is_engine_tool(call.name)) continue;
    has_step = true;
    const bool failed = call.phase == CallPhase::kFinished && call.status != ToolStatus::kOk;
    if (failed && !step.error) step.error = call.name + ": " + call.result_text;
    if (!step.observations.empty()) step.observations += '\n';
    step.observations += call.name + ": " + call.result_text;
  }
  if (!has_calls) return state_.task ? finish_task(TaskStatus::kDone, turn.text) : complete();
  if (has_step) emit(std::move(step));
  if (ends_by_refusal()) return;
  if (const ToolCallState* given_up = own_call(kFailTask); given_up != nullptr && state_.task) {
    return finish_task(TaskStatus::kFailed, given_up->result_text);
  }
  if (const ToolCallState* answer = own_call(kFinalAnswer)) {
    const auto args = parse_json(answer->args_json);
    return complete(args && args->is_object() && args->get_object().contains("answer") ? args->get_object().at("answer")
                                                                                       : json::value());
  }
  next_turn();
}

const ToolCallState* RunMachine::own_call(std::string_view name) const {
  const auto at = std::ranges::find_if(state_.calls, [&](const ToolCallState& call) {
    return call.turn == state_.turns.size() && call.name == name && call.phase == CallPhase::kFinished &&
           call.status == ToolStatus::kOk;
  });
  return at == state_.calls.end() ? nullptr : &*at;
}

// A call whose code went while it waited was refused by nobody.
bool RunMachine::ends_by_refusal() {
  const bool refused = std::ranges::any_of(state_.calls, [&](const ToolCallState& call) {
    return call.turn == state_.turns.size() && call.phase == CallPhase::kRefused &&
           call.result_text != refusal_text("interrupted");
  });
  if (!refused || agent_->agent.approval.on_reject != api::OnReject::kEnd) return false;
  emit(RunInterrupted{"rejected"});
  return true;
}

// False: the model named a tool that does not exist, or that was taken from the agent while the run waited.
bool RunMachine::has_tool(const ToolCallState& call) {
  if (agent_->find_tool(call.name) != nullptr) return true;
  emit(ToolFinished{call.id, call.name, ToolStatus::kToolError, "null",
                    "There is no tool named " + call.name + "; nothing was run."});
  return false;
}

// Decides about a call that is complete: true when it may start now; else it was answered, refused or a
// person asked.
std::optional<Permission> RunMachine::gate(const ToolCallState& call) {
  const ToolCallId id = call.id;
  const std::string name = call.name, args_json = call.args_json;
  if (is_own_offer(*agent_, state_, name)) {
    answer_own_tool(ToolCallState(call));
    return std::nullopt;
  }
  if (!has_tool(call)) return std::nullopt;
  const Tool* tool = agent_->find_tool(name);
  const auto args = parse_json(args_json);
  BRAIDLOG_CHECK(args.has_value());
  if (const auto checked = tool->check(*args); !checked) {
    emit(ToolFinished{id, name, ToolStatus::kInvalidArguments, "null", checked.error().message});
    return std::nullopt;
  }
  const auto& rules = agent_->agent.approval;
  if (rules.passes(name, tool->spec().writes)) return Permission::kReads;
  const auto policy = rules.for_tool(name);
  if (policy == api::Policy::kAuto) return Permission::kPolicy;
  const bool approved =
      policy_.auto_approve || std::ranges::count(policy_.approved_tools, approved_name(name, tool->spec().version)) > 0;
  if (policy == api::Policy::kAsk && approved) return Permission::kSession;
  ask(ToolCallState(call), policy == api::Policy::kDeny);
  return std::nullopt;
}

void RunMachine::ask(const ToolCallState& call, bool denied) {
  const Tool* tool = agent_->find_tool(call.name);
  InputRequested request{ids_.make<ApprovalId>(), InputKind::kApproval, call.id, call.name, call.args_json, 0, denied};
  if (tool != nullptr) request.tool_version = tool->spec().version;
  const auto timeout = agent_->agent.approval.timeout.value_or(limits_.approval_timeout);
  if (!denied && timeout.count() > 0) request.expires_ms = now_.at.ms + timeout.count();
  emit(request);
  if (denied) {
    refuse(*state_.find_call(call.id), "denied", "");
  } else if (request.expires_ms != 0) {
    command(WatchExpiry{request.input_id, request.expires_ms});
  }
}

// The tool may have become another one while the run waited: that one nobody has approved.
bool RunMachine::asks_again(const ToolCallState& call) {
  if (call.asked_version == agent_->find_tool(call.name)->spec().version) return false;
  ask(ToolCallState(call), false);
  return true;
}

void RunMachine::refuse(const ToolCallState& call, std::string reason, std::string user_id) {
  emit(InputGiven{call.approval.value_or(ApprovalId{}), InputKind::kApproval, call.id, Verdict::kRejected,
                  std::move(reason), std::move(user_id), false});
}

void RunMachine::tool_done(const RunInput& input) {
  const auto& done = std::get<ToolDone>(input);
  const ToolCallState* call = state_.find_call(done.call_id);
  if (call == nullptr || call->phase != CallPhase::kRunning) return;
  std::string text(utf8_prefix(done.outcome.text, limits_.tool_result_bytes_max));
  std::string value = to_json(done.outcome.value);
  if (value.size() > limits_.tool_result_bytes_max) {
    value.clear();
    append_json_string(value, text);
  }
  const Tool* tool = agent_->find_tool(call->name);
  const bool shown = done.outcome.status == ToolStatus::kOk && tool != nullptr;
  for (const SessionChange& change : done.outcome.changes) {
    std::visit(
        Overloaded{
            [&](const ArtifactMade& made) {
              emit(ArtifactCreated{ArtifactId{done.call_id.value}, state_.task, made.name, made.type, made.content});
            },
            [&](const DataItemChanged& item) {
              emit(DataModified{item.id, state_.task, item.operation, item.item_type, item.data_json});
            }},
        change);
  }
  emit(ToolFinished{done.call_id, call->name, done.outcome.status, std::move(value), std::move(text),
                    shown ? tool->spec().display_done : std::string()});
  if (state_.interrupt_reason) return finish_interrupt();
  if (!output_over_limit()) act();
}

void RunMachine::decision(const RunInput& input) {
  const RunOrder& order = std::get<DecisionMade>(input).order;
  const ToolCallState* call = state_.find_approval(order.approval_id);
  if (call == nullptr || call->phase != CallPhase::kWaiting) return;
  emit(InputGiven{order.approval_id, InputKind::kApproval, call->id, order.verdict, order.reason, order.user_id,
                  order.apply_to_future});
  if (order.apply_to_future && order.verdict == Verdict::kApproved) {
    policy_.approved_tools.push_back(approved_name(call->name, call->asked_version));
  }
  act();
}

void RunMachine::expired(const RunInput& input) {
  const ToolCallState* call = state_.find_approval(std::get<ApprovalExpired>(input).approval_id);
  if (call == nullptr || call->phase != CallPhase::kWaiting) return;
  refuse(*call, "timeout", "");
  act();
}

}  // namespace braidlog
