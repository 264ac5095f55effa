// The tables of a store in memory, and a reader of them: the half of memory_run_store.h that answers queries.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "port/run_store.h"

namespace braidlog::testing {

struct MemoryRun {
  api::Run run;
  std::uint64_t epoch = 1;
  std::string owner;
  std::string records;           // all of them, from sequence 1
  std::vector<RunOrder> orders;  // not yet events, oldest first
};

struct MemoryApproval {
  api::Approval approval;
  std::optional<Verdict> verdict;  // none: pending
};

struct MemorySession {
  api::Session session;  // without what is counted or summed: see MemoryTables::describe()
  std::set<std::string> approved_tools;
  std::vector<api::Message> messages;
  std::map<std::string, std::pair<std::string, RunId>> keys;  // idempotency key: fingerprint and run
};

// Ordered maps, so that whoever walks over them does so in the same order on each machine.
struct MemoryTables {
  std::map<SessionId, MemorySession> sessions;
  std::map<RunId, MemoryRun> runs;
  std::map<ApprovalId, MemoryApproval> approvals;
  std::uint64_t last_order_id = 0;

  std::optional<RunId> active_run(SessionId id) const {
    for (const auto& [run_id, row] : runs) {
      if (row.run.session_id == id && !is_over(row.run.status)) return run_id;
    }
    return std::nullopt;
  }
  // Pending ones for which `wanted` says yes, oldest first.
  template <class Wanted>
  api::ApprovalList pending(Wanted wanted) const {
    api::ApprovalList list;
    for (const auto& [id, row] : approvals) {
      if (!row.verdict && wanted(row.approval)) list.push_back(row.approval);
    }
    std::ranges::stable_sort(list, {}, &api::Approval::created_at);
    return list;
  }
  api::Session describe(const MemorySession& row) const {
    api::Session session = row.session;
    session.approved_tools.assign(row.approved_tools.begin(), row.approved_tools.end());
    session.message_count = row.messages.size();
    session.active_run = active_run(session.id);
    session.pending_approvals = pending([&](const auto& a) { return a.session_id == session.id; }).size();
    for (const auto& [id, run] : runs) {
      if (run.run.session_id != session.id || !run.run.usage) continue;
      if (!session.usage) session.usage.emplace();
      *session.usage += *run.run.usage;
    }
    return session;
  }
};

class MemoryReader final : public StoreReader {
 public:
  explicit MemoryReader(const MemoryTables& tables) : tables_(tables) {}

  Result<api::Session> session(SessionId id) override {
    const auto at = tables_.sessions.find(id);
    if (at == tables_.sessions.end()) return fail(ErrorCode::kSessionNotFound, "no such session");
    return tables_.describe(at->second);
  }
  Result<api::SessionList> sessions(const std::string& user_id, std::uint32_t limit, std::uint32_t offset) override {
    api::SessionList list;
    for (const auto& [id, row] : tables_.sessions) {
      if (row.session.user_id == user_id) list.items.push_back(tables_.describe(row));
    }
    list.total = list.items.size();
    std::ranges::sort(list.items, std::greater(), [](const auto& s) { return std::pair(s.updated_at, s.id); });
    list.items.erase(list.items.begin(), list.items.begin() + std::min<std::ptrdiff_t>(offset, std::ssize(list.items)));
    if (list.items.size() > limit) list.items.resize(limit);
    return list;
  }
  Result<std::vector<api::Message>> messages(SessionId id, std::uint64_t count_max) override {
    const auto at = tables_.sessions.find(id);
    if (at == tables_.sessions.end()) return std::vector<api::Message>{};
    auto messages = at->second.messages;
    if (messages.size() > count_max) messages.resize(count_max);
    return messages;
  }
  Result<api::Run> run(RunId id) override {
    const auto at = tables_.runs.find(id);
    if (at == tables_.runs.end()) return fail(ErrorCode::kRunNotFound, "no such run");
    return at->second.run;
  }
  Result<api::RunList> runs(SessionId session_id) override {
    api::RunList list;
    for (const auto& [id, row] : tables_.runs) {
      if (row.run.session_id == session_id) list.push_back(row.run);
    }
    return list;
  }
  Result<api::ApprovalList> approvals(SessionId session_id) override {
    return tables_.pending([&](const auto& a) { return a.session_id == session_id; });
  }
  Result<api::ApprovalList> approvals_of_user(const std::string& user_id) override {
    return tables_.pending([&](const auto& a) { return tables_.sessions.at(a.session_id).session.user_id == user_id; });
  }
  Result<api::Approval> approval(ApprovalId id) override {
    const auto at = tables_.approvals.find(id);
    if (at == tables_.approvals.end()) return fail(ErrorCode::kApprovalNotFound, "no such approval");
    return at->second.approval;
  }
  Result<std::string> records(RunId id) override {
    const auto at = tables_.runs.find(id);
    if (at == tables_.runs.end()) return fail(ErrorCode::kRunNotFound, "no such run");
    if (!is_over(at->second.run.status)) return fail(ErrorCode::kInvalidState, "the run is unfinished");
    if (!at->second.run.replayable) return fail(ErrorCode::kGone, "the events of the run are past retention");
    return at->second.records;
  }

 private:
  const MemoryTables& tables_;
};

}  // namespace braidlog::testing
