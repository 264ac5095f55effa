#include "checker.h"

#include <algorithm>

#include "base/overloaded.h"
#include "dialect/contracts.h"

namespace braidlog::sim {

namespace {

// The servers of a simulation own their runs under the name server-N.
unsigned generation_of(const std::string& owner) {
  return static_cast<unsigned>(std::stoul(owner.substr(owner.find('-') + 1)));
}

}  // namespace

const RunHistory* Checker::history(RunId id) const {
  const auto at = histories_.find(id);
  return at == histories_.end() ? nullptr : &at->second;
}

std::vector<const RunHistory*> Checker::saying(const std::string& text) const {
  std::vector<const RunHistory*> found;
  for (const auto& [id, run] : histories_) {
    if (run.state().request.text == text) found.push_back(&run);
  }
  return found;
}

std::optional<RunId> Checker::run_of_key(SessionId session, const std::string& key) const {
  const auto at = keys_.find({to_uuid(session), key});
  return at == keys_.end() ? std::nullopt : std::optional(at->second);
}

const Dialect& Checker::contract(std::string_view name) const {
  return **std::ranges::find(dialects_.list(), name, &Dialect::name);
}

// ---- the store ----

void Checker::on_commit(std::span<const Write> writes, const std::vector<Result<WriteOutcome>>& outcomes) {
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (!outcomes[i]) {
      if (const auto* write = std::get_if<LazyBox<NewRun>>(&writes[i])) refused(*write);
      continue;
    }
    std::visit(Overloaded{
                   [&](const NewSession& write) { take_alone(write); },
                   [&](const LazyBox<NewRun>& write) { take(*write, *outcomes[i]); },
                   [&](const Append& write) { take(write); },
                   [&](const RemoveSession& write) { take(write); },
                   [&](const RemoveArtifact& write) { take(write); },
                   [](const auto&) {},
               },
               writes[i]);
  }
  // The tables have all of the commit, so the books must have it too before the two are compared.
  for (const SessionId id : std::exchange(spoken_, {})) book(id).check_messages();
  for (const SessionId id : std::exchange(touched_, {})) items(id).check_tables();
}

// Chat and conversation make sessions for a message, and only together with its run.
void Checker::take_alone(const NewSession& write) {
  take(write);
  const bool may_be_alone = write.session.contract == kRunsContract || write.session.contract == "sessions";
  if (!may_be_alone) world_.violate(write.session.id, " was made without its run");
}

void Checker::take(const NewSession& write) {
  world_.trace.name(write.session.id);
  if (write.session.auto_approve) consent(write.session.id).begin_on(world_.trace.step);
}

// A session that comes with its run comes with nothing else.
void Checker::refused(const NewRun& write) {
  if (write.new_session && world_.tables.sessions.contains(write.new_session->id)) {
    world_.violate(write.new_session->id, " is there, and the run that it was made for is not");
  }
}

void Checker::take(const NewRun& write, const WriteOutcome& outcome) {
  take_key(write, outcome);
  if (outcome.existing_run) return refused(write);
  if (write.new_session) take(NewSession{*write.new_session});
  world_.trace.name(write.run.id);
  if (outcome.waits && !write.may_wait) world_.violate(write.run.id, " waits, and nobody asked it to");
  const auto before = book(write.run.session_id).working();
  book(write.run.session_id).make(write.run.id, outcome.waits);
  RunHistory& history = histories_.try_emplace(write.run.id, world_, write.run.id).first->second;
  const std::size_t bytes = outcome.waits ? write.first_record_bytes : write.records.size();
  advance(history, std::string_view(write.records).substr(0, bytes), outcome.waits ? 1 : write.record_count);
  check_tables(history);
  check_budget();
  attendance_.made(history, generation_of(write.owner), before ? this->history(*before) : nullptr);
  world_.trace.say("store", write.run.id, " of ", write.run.session_id,
                   outcome.waits ? " waits:" : " begins:", history.describe_last());
}

// Each server knows only the runs that it has.
void Checker::check_budget() {
  const auto is_live = [](const auto& run) { return !run.second.ended(); };
  const auto live = static_cast<std::size_t>(std::ranges::count_if(histories_, is_live));
  if (live > world_.profile.limits.user_runs_max && world_.profile.takeover == 0) {
    world_.violate("ann has ", live, " runs under way, which are too many");
  }
}

void Checker::take_key(const NewRun& write, const WriteOutcome& outcome) {
  if (write.idempotency_key.empty()) return;
  const auto& scope = write.key_scope;
  const std::string whose = scope.session_id ? to_uuid(*scope.session_id) : "user " + scope.user_id;
  const RunId run = outcome.existing_run.value_or(write.run.id);
  const auto [at, is_new] = keys_.try_emplace({whose, write.idempotency_key}, run);
  if (at->second != run) {
    world_.violate("the key ", write.idempotency_key, " led to two runs: ", at->second, " and ", run);
  }
  key_of_.try_emplace(run, write.idempotency_key);
}

void Checker::take(const Append& write) {
  RunHistory& history = histories_.at(write.run_id);
  if (write.follows != history.state().last) world_.violate(write.run_id, " has a gap after ", write.follows.value);
  history.change_owner(write.epoch);
  std::string_view records = write.records;
  if (write.sealed) {
    const bool goes_on = write.sealed->starts_with(history.records());
    records = goes_on ? std::string_view(*write.sealed).substr(history.records().size()) : std::string_view();
    if (!goes_on || !(write.records.empty() || write.records == records)) {
      world_.violate(write.run_id, " was sealed with other records than it was written with");
    }
  }
  advance(history, records, write.record_count);
  world_.trace.say("store", write.run_id, " ", write.follows.value + 1, "..", history.state().last.value,
                   history.describe_last());
  if (write.sealed.has_value() != history.ended()) world_.violate(write.run_id, " was sealed before its end");
  if (write.epoch > 1) check_restart(history);
  for (const auto& tool : history.tools_allowed()) consent(history.state().request.session_id).allow_tool(tool);
  check_permissions(history);
  check_tables(history);
}

void Checker::take(const RemoveSession& write) {
  book(write.id).remove();
  std::erase_if(keys_,
                [&](const auto& key) { return histories_.at(key.second).state().request.session_id == write.id; });
}

void Checker::take(const RemoveArtifact& write) {
  items(write.session_id).remove(write.id);
  touched_.insert(write.session_id);
}

void Checker::take_event(const RunHistory& history, const RunEvent& event) {
  items(history.state().request.session_id).take(history, event);
  if (const auto* e = std::get_if<CodeStarted>(&event.body)) {
    if (const auto number = CodedAnswers::number_of(e->code)) code_of_[*number] = {history.id(), e->turn};
  }
}

// The run has new events: what they mean for its session, and for whoever depends on it.
void Checker::advance(RunHistory& history, std::string_view records, std::uint32_t count) {
  const RunState& state = history.state();
  const bool was_begun = state.is_begun, was_stopped = state.interrupt_reason.has_value();
  history.take(records, count, [&](const RunEvent& event) { take_event(history, event); });
  touched_.insert(state.request.session_id);
  SessionBook& book = this->book(state.request.session_id);
  if (state.is_begun && !was_begun) book.begin(history);
  if (state.interrupt_reason && !was_stopped) check_stop(history);
  if (history.was_dropped() && !history.ended()) world_.violate(history.id(), " was dropped, and is not over");
  if (history.ended()) {
    book.end(history);
    if (state.ended == RunStatus::kCompleted) history.set_view(book.view());
  }
  if ((state.is_begun && !was_begun) || history.ended()) spoken_.insert(state.request.session_id);
}

// Nobody but these stops a run.
void Checker::check_stop(const RunHistory& history) {
  const std::string& reason = *history.state().interrupt_reason;
  const auto& request = history.state().request;
  bool right = false;
  if (reason == "user") {
    right = asked_to_stop_.contains(history.id()) || asked_to_stop_in_.contains(request.session_id);
  }
  if (reason == "session_deleted") right = asked_to_delete_.contains(request.session_id);
  if (reason == "server_stopping") right = request.stops_with_client && world_.draining;
  if (reason == "rejected") right = was_rejected(history);
  if (reason == "restart") right = request.stops_with_client && is_taken_up(history.id());
  if (reason == "storage") right = history.was_dropped() && world_.troubles > 0;
  if (reason == "client_gone") {
    right = request.stops_with_client;
    attendance_.stopped(history.id());
  }
  if (!right) world_.violate(history.id(), " was stopped, and nobody wanted that: ", reason);
}

// Somebody refused a call, and such an agent ends then.
bool Checker::was_rejected(const RunHistory& history) const {
  const auto& agent = agent_named(cast_, history.state().request.agent);
  return agent.approval.on_reject == api::OnReject::kEnd && std::ranges::any_of(history.calls(), [](const auto& call) {
           return call.second.verdict == Verdict::kRejected && call.second.refused_for != "interrupted";
         });
}

bool Checker::is_taken_up(RunId id) const {
  const auto row = world_.tables.runs.find(id);
  return row == world_.tables.runs.end() || row->second.epoch > 1;
}

// Its client is not there after a restart. An agent that is gone cannot be interrupted any more: its run has failed.
void Checker::check_restart(const RunHistory& history) {
  if (!history.state().request.stops_with_client) return;
  if (!history.ended()) return world_.violate(history.id(), " goes on after a restart, and its client is gone");
  const bool has_agent = !world_.profile.agents_change || history.state().request.agent != kPassingAgent;
  if (has_agent && history.state().ended != RunStatus::kInterrupted) {
    world_.violate(history.id(), " lost its client in a restart, and was not interrupted");
  }
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

// ---- what clients were told ----

void Checker::told_run(RunId run_id, const Said& said) {
  const auto& [text, key, session] = said;
  const RunHistory* run = history(run_id);
  if (!run) return world_.violate("a client was told of a run that is not in the log");
  if (run->state().request.text != text) world_.violate("a client asked: ", text, ", and was told of ", run_id);
  const bool is_elsewhere = session && run->state().request.session_id != *session;
  if (is_elsewhere && world_.tables.sessions.contains(*session)) {
    world_.violate("a client asked in ", *session, ", and was told of ", run_id, " in another session");
  }
  if (key.empty()) return;
  const auto known = key_of_.find(run_id);
  if (known == key_of_.end() || known->second != key)
    world_.violate("the key ", key, " led to ", run_id, " of another");
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
  if (placed && !world_.two_owners) told_interrupting_.insert(run_id);
}

void Checker::told_decided(ApprovalId approval_id, RunId run_id, Verdict verdict) {
  const RunHistory* run = history(run_id);
  const ToolCallState* call = run ? run->state().find_approval(approval_id) : nullptr;
  if (!call) return world_.violate("a client decided ", approval_id, ", which is not in the log");
  if (run->calls().at(call->id).verdict != verdict) {
    world_.violate("a client was told that its decision on ", approval_id, " counts, and the log says otherwise");
  }
}

void Checker::on_clients_stopped() {
  for (const auto& [id, run] : histories_) {
    if (run.at_work_since() && !run.ended() && run.state().request.stops_with_client) to_be_stopped_.insert(id);
  }
}

void Checker::on_server_gone() {
  to_be_stopped_.clear();
  for (auto& [id, consent] : consents_) {
    const auto row = world_.tables.sessions.find(id);
    consent.server_gone(row != world_.tables.sessions.end() && row->second.session.auto_approve, world_.trace.step);
  }
}

// ---- when nothing moves, and at the end ----

// Runs that another server has, or that were made on a server which does not know that it lost them, wait for the next
// start.
void Checker::check_quiet(unsigned generation) {
  if (world_.two_owners) return;
  for (const auto& [id, book] : books_) {
    if (book.is_stuck()) world_.violate("a run waits in ", id, ", and nobody is before it");
  }
  for (const auto& [id, run] : histories_) attendance_.check_left(run, generation);
  for (const RunId id : to_be_stopped_) {
    if (!history(id)->state().interrupt_reason && !history(id)->ended()) {
      world_.violate(id, " goes on, and the server leaves its client");
    }
  }
}

void Checker::check_ends() {
  for (const auto& [id, run] : histories_) {
    if (!run.ended()) world_.violate(id, " did not end");
    if (told_interrupting_.contains(id) && run.state().ended != RunStatus::kInterrupted) {
      world_.violate(id, " was told to stop, and ended otherwise");
    }
    for (const auto& call : run.state().calls) {
      const bool said_ok = call.phase == CallPhase::kFinished && call.status == ToolStatus::kOk;
      if (is_engine_tool(call.name)) continue;
      if (said_ok && !effects_.contains({id, call.id})) world_.violate(call.id, " is said to have run, and did not");
      if (effects_.contains({id, call.id}) && !run.calls().at(call.id).started) {
        world_.violate(call.id, " ran without a word of it in the log");
      }
    }
  }
  for (const auto& [id, book] : books_) book.check_messages();
  for (const auto& [id, book] : items_) book.check_tables();
  // Every run is a legal stream in the contracts that have an order of their own.
  for (const auto& [id, run] : histories_) {
    for (const auto name : {kStepsContract, kTasksContract}) (void)run.stream(contract(name));
  }
}

}  // namespace braidlog::sim
