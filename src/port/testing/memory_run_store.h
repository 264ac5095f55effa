// A RunStore without a disk, for tests and the simulator: the same answers as any other (it passes
// run_store_contract.h), from plain maps. What is committed is in the MemoryTables, which outlive the store as a disk
// outlives a process. One thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "port/testing/memory_tables.h"

namespace braidlog::testing {

class MemoryRunStore final : public RunStore {
 public:
  explicit MemoryRunStore(MemoryTables& tables) : tables_(tables) {}

  std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) override {
    std::vector<Result<WriteOutcome>> outcomes;
    for (const Write& write : writes) {
      outcomes.push_back(std::visit([this](const auto& one) { return apply(one); }, write));
    }
    return outcomes;
  }

  Result<std::vector<ClaimedRun>> claim_runs(const std::string& owner) override {
    std::vector<ClaimedRun> claimed;
    for (auto& [id, row] : tables_.runs) {
      if (is_over(row.run.status)) continue;
      ++row.epoch;
      row.owner = owner;
      claimed.push_back({row.run, row.epoch, row.records, row.orders});
    }
    return claimed;
  }

  Result<Id128> newest_id() override {
    Id128 newest;
    if (!tables_.sessions.empty()) newest = std::max(newest, tables_.sessions.rbegin()->first.value);
    if (!tables_.runs.empty()) newest = std::max(newest, tables_.runs.rbegin()->first.value);
    if (!tables_.approvals.empty()) newest = std::max(newest, tables_.approvals.rbegin()->first.value);
    return newest;
  }

  Result<std::unique_ptr<StoreReader>> open_reader() override {
    return std::unique_ptr<StoreReader>(std::make_unique<MemoryReader>(tables_));
  }

 private:
  using Outcome = Result<WriteOutcome>;

  // ---- sessions

  Outcome apply(const NewSession& write) {
    if (tables_.sessions.contains(write.session.id)) return fail(ErrorCode::kInternal, "the session exists");
    const auto& tools = write.session.approved_tools;
    tables_.sessions[write.session.id] = {write.session, {tools.begin(), tools.end()}};
    return WriteOutcome{};
  }
  Outcome apply(const RemoveArtifact& write) {
    const auto at = tables_.sessions.find(write.session_id);
    if (at == tables_.sessions.end() || !at->second.items.remove(write.id)) {
      return fail(ErrorCode::kArtifactNotFound, "Artifact not found");
    }
    return WriteOutcome{};
  }
  Outcome apply(const SetSession& write) {
    const auto at = tables_.sessions.find(write.id);
    if (at == tables_.sessions.end()) return fail(ErrorCode::kSessionNotFound, "Session not found");
    api::Session& session = at->second.session;
    if (write.auto_approve) session.auto_approve = *write.auto_approve;
    if (write.title) session.title = *write.title;
    at->second.touch(write.updated_at);
    return WriteOutcome{};
  }
  Outcome apply(const RemoveSession& write) {
    if (tables_.active_run(write.id)) return fail(ErrorCode::kInvalidState, "a run of the session is unfinished");
    if (tables_.sessions.erase(write.id) == 0) return fail(ErrorCode::kSessionNotFound, "Session not found");
    std::erase_if(tables_.approvals, [&](const auto& a) { return a.second.approval.session_id == write.id; });
    std::erase_if(tables_.keys, [&](const auto& key) {
      const auto run = tables_.runs.find(key.second.second);
      return run != tables_.runs.end() && run->second.run.session_id == write.id;
    });
    std::erase_if(tables_.runs, [&](const auto& r) { return r.second.run.session_id == write.id; });
    return WriteOutcome{};
  }

  // ---- runs

  Outcome apply(const NewRun& write) {
    const auto at = tables_.sessions.find(write.run.session_id);
    if (!write.new_session && at == tables_.sessions.end())
      return fail(ErrorCode::kSessionNotFound, "Session not found");
    const auto scoped = key_of(write);
    if (const auto key = tables_.keys.find(scoped); !write.idempotency_key.empty() && key != tables_.keys.end()) {
      const auto& [fingerprint, run_id] = key->second;
      if (fingerprint == write.fingerprint) return WriteOutcome{.existing_run = run_id};
      return fail(ErrorCode::kIdempotencyConflict, "the idempotency key was used for another request");
    }
    if (!write.may_begin) return fail(ErrorCode::kRateLimited, "no more runs may begin");
    const auto active = tables_.active_run(write.run.session_id);
    if (active && !write.may_wait) {
      return fail(ErrorCode::kActiveRunExists, "The session already has an active run", to_prefixed(*active));
    }
    const auto queue = tables_.waiting(write.run.session_id);
    if (active && queue.size() >= write.waiting_max) {
      return fail(ErrorCode::kRateLimited, "too many turns wait in this session");
    }
    if (active && !queue.empty() && queue.back() > write.run.id) {
      return fail(ErrorCode::kFenced, "a later turn has an earlier id", to_prefixed(queue.back()));
    }
    const auto messages = at == tables_.sessions.end() ? 0 : at->second.messages.size();
    if (!active && messages != write.expected_message_count) {
      return fail(ErrorCode::kFenced, "the session has changed in between");
    }
    const auto task_version = at == tables_.sessions.end() ? 0 : at->second.session.task_version;
    if (!active && write.expected_task_version && *write.expected_task_version != task_version) {
      return fail(ErrorCode::kFenced, "the tasks of the session have changed in between");
    }
    if (at != tables_.sessions.end()) {
      if (auto fits = at->second.items.check(write.effects); !fits) return fail(fits.error());
    }
    if (write.new_session) apply(NewSession{*write.new_session});
    if (!write.idempotency_key.empty()) tables_.keys[scoped] = {write.fingerprint, write.run.id};
    return make_run(write, active.has_value());
  }
  Outcome make_run(const NewRun& write, bool waits) {
    MemorySession& session = tables_.sessions.at(write.run.session_id);
    MemoryRun& row = tables_.runs[write.run.id];
    row.run = write.run;
    row.text = write.text;
    row.owner = write.owner;
    row.records = waits ? write.records.substr(0, write.first_record_bytes) : write.records;
    row.run.last = {waits ? 1 : write.record_count};
    if (waits) {
      row.run.status = RunStatus::kQueued;
      row.run.started_at.reset();
      return WriteOutcome{.waits = true};
    }
    session.touch(write.run.created_at);
    apply(write.effects, row, session);
    return WriteOutcome{.auto_approve = session.session.auto_approve};
  }
  static MemoryTables::ScopedKey key_of(const NewRun& write) {
    const auto& scope = write.key_scope;
    return {scope.session_id ? to_uuid(*scope.session_id) : "user " + scope.user_id, write.idempotency_key};
  }
  Outcome apply(const Append& write) {
    const auto at = tables_.runs.find(write.run_id);
    if (at == tables_.runs.end()) return fail(ErrorCode::kRunNotFound, "Run not found");
    MemoryRun& row = at->second;
    if (row.epoch != write.epoch) return fail(ErrorCode::kFenced, "another owner has the run");
    if (is_over(row.run.status)) return fail(ErrorCode::kInvalidState, "the run is over");
    if (row.run.last != write.follows) return fail(ErrorCode::kFenced, "the run has other events than expected");
    if (!are_new(write.effects->approvals_opened)) return fail(ErrorCode::kInternal, "the approval exists");
    MemorySession& session = tables_.sessions.at(row.run.session_id);
    if (auto fits = session.items.check(*write.effects); !fits) return fail(fits.error());
    row.records += write.records;
    row.run.last.value += write.record_count;
    // A seal that is not what was appended piece by piece shows as soon as the run is read.
    if (write.sealed) row.records = *write.sealed;
    apply(*write.effects, row, session);
    if (!is_over(row.run.status)) return WriteOutcome{};
    return WriteOutcome{.next_run = tables_.next_run(row.run.session_id)};
  }
  bool are_new(const std::vector<api::Approval>& approvals) const {
    std::set<ApprovalId> seen;
    return std::ranges::all_of(
        approvals, [&](const auto& a) { return !tables_.approvals.contains(a.id) && seen.insert(a.id).second; });
  }

  void apply(const RunEffects& effects, MemoryRun& row, MemorySession& session) {
    api::Run& run = row.run;
    run.status = effects.status;
    if (effects.started_at) run.started_at = effects.started_at;
    if (effects.ended_at) run.ended_at = effects.ended_at;
    if (effects.failure) {
      run.failure = effects.failure;
      run.failure_message = effects.failure_message;
    }
    if (effects.usage) run.usage = effects.usage;
    session.messages.insert(session.messages.end(), effects.messages.begin(), effects.messages.end());
    for (auto& message : session.messages) {
      if (effects.attached && message.id == effects.attached->message_id) message.attached = effects.attached->text;
    }
    session.approved_tools.insert(effects.tools_approved.begin(), effects.tools_approved.end());
    for (const auto& approval : effects.approvals_opened) tables_.approvals[approval.id] = {approval, {}};
    for (const auto& [id, verdict] : effects.approvals_closed) {
      const auto at = tables_.approvals.find(id);
      if (at != tables_.approvals.end() && at->second.approval.run_id == run.id) at->second.verdict = verdict;
    }
    std::erase_if(row.orders, [&](const RunOrder& o) { return std::ranges::count(effects.orders_done, o.id) > 0; });
    if (effects.changes_items()) session.change_items(effects);
    if (is_over(run.status)) close(row, session);
  }
  void close(MemoryRun& row, MemorySession& session) {
    row.orders.clear();
    for (auto& [id, approval] : tables_.approvals) {
      if (approval.approval.run_id == row.run.id && !approval.verdict) approval.verdict = Verdict::kRejected;
    }
    if (row.run.ended_at) session.touch(*row.run.ended_at);
  }

  Outcome apply(const AddAlert& write) {
    for (const auto& alert : tables_.alerts) {
      if (alert.run_id == write.alert.run_id && alert.call_id == write.alert.call_id) {
        return WriteOutcome{.ticket = alert.ticket};
      }
    }
    tables_.alerts.push_back(write.alert);
    tables_.alerts.back().ticket = tables_.alerts.size();
    return WriteOutcome{.ticket = tables_.alerts.size()};
  }

  Outcome apply(const ExpireRuns& write) {
    std::vector<MemoryRun*> due;
    for (auto& [id, row] : tables_.runs) {
      if (row.run.replayable && row.run.ended_at && *row.run.ended_at < write.ended_before) due.push_back(&row);
    }
    std::ranges::sort(due, {}, [](const MemoryRun* row) { return *row->run.ended_at; });
    if (due.size() > write.count_max) due.resize(write.count_max);
    for (MemoryRun* row : due) {
      row->run.replayable = false;
      row->records.clear();
    }
    return WriteOutcome{.expired = static_cast<std::uint32_t>(due.size())};
  }

  // ---- orders

  Outcome apply(const PlaceOrder& write) {
    const auto at = tables_.runs.find(write.run_id);
    if (at == tables_.runs.end()) return fail(ErrorCode::kRunNotFound, "Run not found");
    if (is_over(at->second.run.status)) return fail(ErrorCode::kInvalidState, "the run is over");
    if (write.order.kind == RunOrder::Kind::kDecide) {
      const auto found = tables_.approvals.find(write.order.approval_id);
      if (found == tables_.approvals.end() || found->second.approval.run_id != write.run_id) {
        return fail(ErrorCode::kApprovalNotFound, "Approval not found");
      }
      if (found->second.verdict) return fail(ErrorCode::kAlreadyDecided, "the approval was decided before");
      found->second.verdict = write.order.verdict;
    }
    RunOrder order = write.order;
    order.id = ++tables_.last_order_id;
    at->second.orders.push_back(order);
    return WriteOutcome{.order_id = order.id};
  }

  MemoryTables& tables_;
};

}  // namespace braidlog::testing
