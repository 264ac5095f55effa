// The disk: a store in memory that can refuse, and that shows every commit to the checker.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker.h"
#include "port/testing/memory_run_store.h"

namespace braidlog::sim {

// Answers, or fails when the world says so.
class SimReader final : public StoreReader {
 public:
  SimReader(World& world, std::unique_ptr<StoreReader> reader) : world_(world), reader_(std::move(reader)) {}

  Result<api::Session> session(SessionId id) override { return ask(&StoreReader::session, id); }
  Result<api::SessionList> sessions(const SessionQuery& query) override { return ask(&StoreReader::sessions, query); }
  Result<std::vector<api::Message>> messages(SessionId id, std::uint64_t count_max) override {
    return ask(&StoreReader::messages, id, count_max);
  }
  Result<api::Run> run(RunId id) override { return ask(&StoreReader::run, id); }
  Result<api::RunList> runs(SessionId id) override { return ask(&StoreReader::runs, id); }
  Result<api::FoundRuns> find_runs(const RunQuery& query) override { return ask(&StoreReader::find_runs, query); }
  Result<api::ApprovalList> approvals(SessionId id) override { return ask(&StoreReader::approvals, id); }
  Result<api::ApprovalList> approvals_of_user(const std::string& user) override {
    return ask(&StoreReader::approvals_of_user, user);
  }
  Result<api::ApprovalList> all_approvals() override { return ask(&StoreReader::all_approvals); }
  Result<api::AlertList> alerts(std::uint32_t limit) override { return ask(&StoreReader::alerts, limit); }
  Result<api::Approval> approval(ApprovalId id) override { return ask(&StoreReader::approval, id); }
  Result<std::string> records(RunId id) override { return ask(&StoreReader::records, id); }
  Result<api::TaskList> tasks(SessionId id) override { return ask(&StoreReader::tasks, id); }
  Result<api::ArtifactList> artifacts(SessionId id, const std::string& type) override {
    return ask(&StoreReader::artifacts, id, type);
  }
  Result<api::DataItemList> data_items(SessionId id, const std::string& item_type) override {
    return ask(&StoreReader::data_items, id, item_type);
  }
  Result<std::uint64_t> data_item_count(SessionId id) override { return ask(&StoreReader::data_item_count, id); }
  Result<api::Artifact> artifact(SessionId session_id, ArtifactId id) override {
    return ask(&StoreReader::artifact, session_id, id);
  }
  Result<api::DataItem> data_item(SessionId session_id, DataItemId id) override {
    return ask(&StoreReader::data_item, session_id, id);
  }

 private:
  template <class T, class... Params, class... Args>
  Result<T> ask(Result<T> (StoreReader::*query)(Params...), const Args&... args) {
    if (world_.reads_fail && world_.random.percent(40)) {
      ++world_.troubles;
      return fail(ErrorCode::kStorage, "the disk cannot be read");
    }
    return ((*reader_).*query)(args...);
  }

  World& world_;
  std::unique_ptr<StoreReader> reader_;
};

class SimStore final : public RunStore {
 public:
  SimStore(World& world, Checker& checker) : world_(world), checker_(checker), store_(world.tables) {}

  std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) override {
    if (world_.disk_refuses) {
      ++world_.troubles;
      world_.trace.say("disk", "refuses ", writes.size(), " writes");
      return {writes.size(), fail(ErrorCode::kStorage, "the disk is full")};
    }
    auto outcomes = store_.commit(writes);
    checker_.on_commit(writes, outcomes);
    return outcomes;
  }
  Result<std::vector<ClaimedRun>> claim_runs(const std::string& owner) override {
    if (world_.disk_refuses) return fail(ErrorCode::kStorage, "the disk is full");
    return store_.claim_runs(owner);
  }
  Result<Id128> newest_id() override { return store_.newest_id(); }
  Result<std::unique_ptr<StoreReader>> open_reader() override {
    return std::unique_ptr<StoreReader>(std::make_unique<SimReader>(world_, std::move(*store_.open_reader())));
  }

 private:
  World& world_;
  Checker& checker_;
  testing::MemoryRunStore store_;
};

}  // namespace braidlog::sim
