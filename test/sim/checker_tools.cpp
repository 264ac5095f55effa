// What tools do, and who allowed it.
#include <algorithm>

#include "checker.h"

namespace braidlog::sim {

namespace {

const api::Agent& agent_named(const std::vector<api::Agent>& cast, const std::string& name) {
  return *std::ranges::find(cast, name, &api::Agent::name);
}

}  // namespace

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

}  // namespace braidlog::sim
