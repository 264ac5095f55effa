#include "checker.h"

#include <algorithm>

#include "base/overloaded.h"

namespace braidlog::sim {

namespace {

const api::Agent& agent_named(const std::vector<api::Agent>& cast, const std::string& name) {
  return *std::ranges::find(cast, name, &api::Agent::name);
}

}  // namespace

const RunHistory* Checker::history(RunId id) const {
  const auto at = histories_.find(id);
  return at == histories_.end() ? nullptr : &at->second;
}

// ---- the store ----

void Checker::on_commit(std::span<const Write> writes, const std::vector<Result<WriteOutcome>>& outcomes) {
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (!outcomes[i]) continue;
    std::visit(Overloaded{
                   [&](const NewSession& write) { take(write); },
                   [&](const NewRun& write) { take(write, *outcomes[i]); },
                   [&](const Append& write) { take(write); },
                   [](const auto&) {},
               },
               writes[i]);
  }
}

void Checker::take(const NewSession& write) {
  world_.trace.name(write.session.id);
  if (write.session.auto_approve) consent(write.session.id).begin_on(world_.trace.step);
}

void Checker::take(const NewRun& write, const WriteOutcome& outcome) {
  if (outcome.existing_run) return;
  world_.trace.name(write.run.id);
  for (const auto& [id, other] : histories_) {
    if (other.state().request.session_id == write.run.session_id && !other.ended()) {
      world_.violate(write.run.session_id, " has two unfinished runs: ", id, " and ", write.run.id);
    }
  }
  RunHistory& history = histories_.try_emplace(write.run.id, world_, dialect_, write.run.id).first->second;
  history.take(write.records, write.record_count);
  check_tables(history);
  world_.trace.say("store", write.run.id, " of ", write.run.session_id, " begins:", history.describe_last());
}

void Checker::take(const Append& write) {
  RunHistory& history = histories_.at(write.run_id);
  if (write.follows != history.state().last) world_.violate(write.run_id, " has a gap after ", write.follows.value);
  history.take(write.records, write.record_count);
  world_.trace.say("store", write.run_id, " ", write.follows.value + 1, "..", history.state().last.value,
                   history.describe_last());
  if (write.sealed && *write.sealed != history.records()) {
    world_.violate(write.run_id, " was sealed with other records than it was written with");
  }
  if (write.sealed.has_value() != history.ended()) world_.violate(write.run_id, " was sealed before its end");
  for (const auto& tool : history.tools_allowed()) consent(history.state().request.session_id).allow_tool(tool);
  check_permissions(history);
  check_tables(history);
}

void Checker::check_tables(const RunHistory& history) {
  const auto at = world_.tables.runs.find(history.id());
  if (at == world_.tables.runs.end()) return;  // its session was deleted in the same commit
  const RunState& state = history.state();
  if (at->second.run.status != state.status())
    world_.violate("the tables and the log differ on the status of ", history.id());
  if (at->second.run.usage != state.usage)
    world_.violate("the tables and the log differ on the usage of ", history.id());
  for (const auto& call : state.calls) {
    if (!call.approval) continue;
    const auto& row = world_.tables.approvals.at(*call.approval);
    if (call.phase != CallPhase::kWaiting && !row.verdict) world_.violate(*call.approval, " is decided and pending");
  }
}

// ---- tools ----

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

// ---- what clients were told ----

void Checker::told_run(RunId run_id, SessionId session_id, const std::string& key) {
  if (!history(run_id)) return world_.violate("a client was told of a run that is not in the log");
  if (key.empty()) return;
  const auto [at, is_new] = keys_.try_emplace({session_id, key}, run_id);
  if (at->second != run_id) world_.violate("the key ", key, " led to two runs: ", at->second, " and ", run_id);
}

void Checker::told_interrupting(RunId run_id) {
  const RunHistory* run = history(run_id);
  if (!run) return world_.violate("a client interrupted a run that is not in the log");
  if (run->state().interrupt_reason) {
    if (!run->ended()) told_interrupting_.insert(run_id);
    return;
  }
  // A server that has lost the run to another owner can still place the order: its next owner finds it.
  const auto row = world_.tables.runs.find(run_id);
  const bool placed = row != world_.tables.runs.end() && std::ranges::any_of(row->second.orders, [](const auto& order) {
                        return order.kind == RunOrder::Kind::kInterrupt;
                      });
  if (!placed && !run->ended()) world_.violate("a client was told that ", run_id, " is interrupted, and it is not");
}

void Checker::told_decided(ApprovalId approval_id, RunId run_id, Verdict verdict) {
  const RunHistory* run = history(run_id);
  const ToolCallState* call = run ? run->state().find_approval(approval_id) : nullptr;
  if (!call) return world_.violate("a client decided ", approval_id, ", which is not in the log");
  if (run->calls().at(call->id).verdict != verdict) {
    world_.violate("a client was told that its decision on ", approval_id, " counts, and the log says otherwise");
  }
}

void Checker::on_server_gone() {
  for (auto& [id, consent] : consents_) {
    const auto row = world_.tables.sessions.find(id);
    consent.server_gone(row != world_.tables.sessions.end() && row->second.session.auto_approve, world_.trace.step);
  }
}

// ---- at the end ----

void Checker::check_ends() {
  for (const auto& [id, run] : histories_) {
    if (!run.ended()) world_.violate(id, " did not end");
    if (told_interrupting_.contains(id) && run.state().ended != RunStatus::kInterrupted) {
      world_.violate(id, " was told to stop, and ended otherwise");
    }
    for (const auto& call : run.state().calls) {
      const bool said_ok = call.phase == CallPhase::kFinished && call.status == ToolStatus::kOk;
      if (said_ok && !effects_.contains({id, call.id})) world_.violate(call.id, " is said to have run, and did not");
      if (effects_.contains({id, call.id}) && !run.calls().at(call.id).started) {
        world_.violate(call.id, " ran without a word of it in the log");
      }
    }
    check_messages(run);
  }
}

// The session's messages are what its runs said, in their order.
void Checker::check_messages(const RunHistory& run) {
  const auto at = world_.tables.sessions.find(run.state().request.session_id);
  if (at == world_.tables.sessions.end()) return;
  std::vector<std::string> expected, stored;
  expected.push_back(run.state().begun.text);
  if (!run.state().text.empty()) expected.push_back(run.state().text);
  for (const auto& message : at->second.messages) {
    if (message.run_id == run.id()) stored.push_back(message.content);
  }
  if (stored != expected) world_.violate("the messages of ", run.id(), " are not what it said");
}

}  // namespace braidlog::sim
