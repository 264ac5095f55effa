// The tables of a store in memory, and a reader of them: the half of memory_run_store.h that answers queries.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "port/run_store.h"
#include "port/testing/memory_items.h"

namespace braidlog::testing {

struct MemoryRun {
  api::Run run;
  std::string text{};
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
  std::set<std::string> approved_tools{};
  std::vector<api::Message> messages{};
  MemoryItems items{};

  void touch(WallTime at) { session.updated_at = std::max(session.updated_at, at); }
  void change_items(const RunEffects& effects) {
    BRAIDLOG_CHECK(effects.changed_at && items.apply(session.id, effects));
    if (effects.session_status) session.status = *effects.session_status;
    if (effects.changes_tasks()) ++session.task_version;
    touch(*effects.changed_at);
  }
};

// Ordered maps, so that whoever walks over them does so in the same order on each machine.
struct MemoryTables {
  std::map<SessionId, MemorySession> sessions;
  std::map<RunId, MemoryRun> runs;
  std::map<ApprovalId, MemoryApproval> approvals;
  using ScopedKey = std::pair<std::string, std::string>;    // whose, and the idempotency key
  std::map<ScopedKey, std::pair<std::string, RunId>> keys;  // its fingerprint and run
  std::vector<api::Alert> alerts;                           // the ticket is the place, from 1
  std::uint64_t last_order_id = 0;

  // The run at work, else the first that waits.
  std::optional<RunId> active_run(SessionId id) const {
    for (const auto& [run_id, row] : runs) {
      if (row.run.session_id == id && !is_over(row.run.status) && row.run.status != RunStatus::kQueued) return run_id;
    }
    return next_run(id);
  }
  std::vector<RunId> waiting(SessionId id) const {
    std::vector<RunId> found;
    for (const auto& [run_id, row] : runs) {
      if (row.run.session_id == id && row.run.status == RunStatus::kQueued) found.push_back(run_id);
    }
    return found;
  }
  // Whose turn it is, when none is at work.
  std::optional<RunId> next_run(SessionId id) const {
    const bool is_busy = std::ranges::any_of(runs, [&](const auto& r) {
      const auto status = r.second.run.status;
      return r.second.run.session_id == id && status != RunStatus::kQueued && !is_over(status);
    });
    const auto queue = waiting(id);
    return is_busy || queue.empty() ? std::nullopt : std::optional(queue.front());
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
    if (at == tables_.sessions.end()) return fail(ErrorCode::kSessionNotFound, "Session not found");
    return tables_.describe(at->second);
  }
  Result<api::SessionList> sessions(const SessionQuery& query) override {
    std::vector<api::Session> found;
    for (const auto& [id, row] : tables_.sessions) {
      const bool is_theirs = !query.user_id || row.session.user_id == *query.user_id;
      const bool has_status = !query.status || row.session.status == *query.status;
      if (is_theirs && has_status) found.push_back(tables_.describe(row));
    }
    const auto place = [](const api::Session& s) { return std::pair(s.updated_at, s.id); };
    std::ranges::sort(found, std::greater{}, place);
    api::SessionList list{{}, found.size()};
    if (query.after) {
      const std::pair end(query.after->updated_at, query.after->id);
      std::erase_if(found, [&](const auto& s) { return place(s) >= end; });
    }
    for (std::size_t i = query.offset; i < found.size() && list.items.size() < query.limit; ++i) {
      list.items.push_back(std::move(found[i]));
    }
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
    if (at == tables_.runs.end()) return fail(ErrorCode::kRunNotFound, "Run not found");
    return at->second.run;
  }
  Result<api::RunList> runs(SessionId session_id) override {
    api::RunList list;
    for (const auto& [id, row] : tables_.runs) {
      if (row.run.session_id == session_id) list.push_back(row.run);
    }
    return list;
  }
  Result<api::FoundRuns> find_runs(const RunQuery& query) override {
    api::FoundRuns found;
    RunWords words(query.words);
    std::uint32_t looked_at = 0;
    std::optional<RunId> last;
    for (auto at = tables_.runs.rbegin(); at != tables_.runs.rend(); ++at) {
      const auto& [id, row] = *at;
      if (query.before && id >= *query.before) continue;
      if (query.user_id && row.run.user_id != *query.user_id) continue;
      if (query.session_id && row.run.session_id != *query.session_id) continue;
      if (found.items.size() == query.limit || looked_at++ == query.looked_at_max) {
        found.next = last;
        break;
      }
      last = id;
      const std::string& title = tables_.sessions.at(row.run.session_id).session.title;
      if (query.status && row.run.status != *query.status) continue;
      if (!query.agent.empty() && row.run.agent != query.agent) continue;
      if (words.fit({id, row.run.session_id, row.run.agent, title, row.text})) {
        found.items.push_back({row.run, title, row.text});
      }
    }
    return found;
  }
  Result<api::ApprovalList> approvals(SessionId session_id) override {
    return tables_.pending([&](const auto& a) { return a.session_id == session_id; });
  }
  Result<api::ApprovalList> approvals_of_user(const std::string& user_id) override {
    return tables_.pending([&](const auto& a) { return tables_.sessions.at(a.session_id).session.user_id == user_id; });
  }
  Result<api::ApprovalList> all_approvals() override {
    return tables_.pending([](const auto&) { return true; });
  }
  Result<api::AlertList> alerts(std::uint32_t limit) override {
    api::AlertList list(tables_.alerts.rbegin(), tables_.alerts.rend());
    if (list.size() > limit) list.resize(limit);
    return list;
  }
  Result<api::Approval> approval(ApprovalId id) override {
    const auto at = tables_.approvals.find(id);
    if (at == tables_.approvals.end()) return fail(ErrorCode::kApprovalNotFound, "Approval not found");
    return at->second.approval;
  }
  Result<std::string> records(RunId id) override {
    const auto at = tables_.runs.find(id);
    if (at == tables_.runs.end()) return fail(ErrorCode::kRunNotFound, "Run not found");
    if (!is_over(at->second.run.status)) return fail(ErrorCode::kInvalidState, "the run is unfinished");
    if (!at->second.run.replayable) return fail(ErrorCode::kGone, "the events of the run are past retention");
    return at->second.records;
  }
  Result<api::TaskList> tasks(SessionId session_id) override { return items_of(session_id).tasks_by_order(); }
  Result<api::ArtifactList> artifacts(SessionId session_id, const std::string& type) override {
    return items_of(session_id).artifacts_of(type);
  }
  Result<api::DataItemList> data_items(SessionId session_id, const std::string& item_type) override {
    return items_of(session_id).data_items_of(item_type);
  }
  Result<std::uint64_t> data_item_count(SessionId session_id) override {
    return items_of(session_id).data_items.size();
  }
  Result<api::Artifact> artifact(SessionId session_id, ArtifactId id) override {
    const auto artifacts = items_of(session_id).artifacts;
    const auto at = std::ranges::find(artifacts, id, &api::Artifact::id);
    if (at == artifacts.end()) return fail(ErrorCode::kArtifactNotFound, "Artifact not found");
    return *at;
  }
  Result<api::DataItem> data_item(SessionId session_id, DataItemId id) override {
    const auto items = items_of(session_id).data_items;
    const auto at = std::ranges::find(items, id, &api::DataItem::id);
    if (at == items.end()) return fail(ErrorCode::kDataItemNotFound, "Data item not found");
    return *at;
  }

 private:
  MemoryItems items_of(SessionId id) const {
    const auto at = tables_.sessions.find(id);
    return at == tables_.sessions.end() ? MemoryItems{} : at->second.items;
  }

  const MemoryTables& tables_;
};

}  // namespace braidlog::testing
