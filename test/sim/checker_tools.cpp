// What tools do, and who allowed it.
#include <algorithm>

#include "checker.h"

namespace braidlog::sim {

void Checker::on_tool_started(RunId run_id, ToolCallId call_id, const ToolSpec& spec) {
  const RunHistory* run = history(run_id);
  const ToolCallState* call = run ? run->state().find_call(call_id) : nullptr;
  // A server that has lost the run does not know it yet; the intent was its own, and the new owner said "unknown".
  const bool is_late = call && world_.two_owners && run->calls().at(call_id).cut;
  if (!call || (call->phase != CallPhase::kRunning && !is_late)) {
    return world_.violate(spec.name, " was started for ", call_id, " without a committed intent");
  }
  if (call->name != spec.name)
    world_.violate(call_id, " is a call of ", call->name, ", and ", spec.name, " was started");
}

void Checker::on_effect(RunId run_id, ToolCallId call_id, const ToolSpec& spec) {
  const int count = ++effects_[{run_id, call_id}];
  if (count > 1 && spec.writes && !spec.idempotent) world_.violate(call_id, " changed the world ", count, " times");
}

// Looks at every call that the log says may run. Each once: what is allowed later does not count backwards.
void Checker::check_permissions(const RunHistory& history) {
  for (const auto& [id, call] : history.calls()) {
    if (!call.started || !permitted_.insert(id).second) continue;
    if (is_engine_tool(call.name)) continue;  // it only changes the session's own list, or ends something
    check_permission(history, call);
  }
}

void Checker::check_permission(const RunHistory& history, const RunHistory::Call& call) {
  const auto& rules = agent_named(cast_, history.state().begun.agent).approval;
  const auto specs = tool_specs();
  const ToolSpec* spec = find_spec(specs, call.name);
  if (!spec) return world_.violate(history.id(), " started a tool that does not exist: ", call.name);
  const auto complain = [&](const char* why) {
    world_.violate(history.id(), " started ", call.name, " although ", why);
  };
  switch (call.permission) {
    case Permission::kApproval: return;  // RunHistory saw the approval
    case Permission::kReads:
      if (spec->writes || rules.tools.contains(call.name)) complain("it does not only read");
      return;
    case Permission::kPolicy:
      if (rules.for_tool(call.name) != api::Policy::kAuto) complain("the agent's rules do not say so");
      return;
    case Permission::kSession: {
      const Consent& given = consents_[history.state().request.session_id];
      const auto checked = call.token ? checked_at_.find(*call.token) : checked_at_.end();
      const bool on = checked != checked_at_.end() && given.may_be_on(checked->second);
      if (!on && !given.allows_tool(call.name)) complain("its user had not allowed that");
      return;
    }
  }
}

// ---- code ----

void Checker::on_code_run(const std::string& code) {
  const auto number = CodedAnswers::number_of(code);
  const auto intent = number ? code_of_.find(*number) : code_of_.end();
  if (intent == code_of_.end()) return world_.violate("code runs without a committed intent: ", code);
  const auto [run_id, turn] = intent->second;
  const RunState& state = histories_.at(run_id).state();
  if (world_.two_owners) return;  // a server that has lost the run does not know it yet
  if (!state.code_open || state.turns.size() != turn || state.interrupt_reason) {
    world_.violate(run_id, " runs code whose step is over");
  }
  const bool has_called =
      std::ranges::any_of(state.calls, [&](const ToolCallState& call) { return call.turn == turn && call.by_code; });
  if (has_called) world_.violate(run_id, " runs code again that had called a tool");
}

// What the code is told is in the log by then, and is what the log says.
void Checker::on_code_answered(std::uint64_t token, const CodeAnswer& answer) {
  for (const auto& [id, run] : histories_) {
    for (const auto& [call_id, call] : run.calls()) {
      if (call.token != token) continue;
      const ToolCallState& state = *run.state().find_call(call_id);
      if (!is_closed(state.phase))
        return world_.violate("code was answered before the end of ", call_id, " was logged");
      const bool went_well = state.phase == CallPhase::kFinished && state.status == ToolStatus::kOk;
      if (went_well == answer.error.has_value() && !world_.two_owners) {
        world_.violate("code was told something else about ", call_id, " than the log says");
      }
      return;
    }
  }
  world_.violate("code was answered a call that is not in the log");
}

}  // namespace braidlog::sim
