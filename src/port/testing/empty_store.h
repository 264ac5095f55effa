// A store with nothing in it: what tests build on that are about something else. It takes every write and finds
// nothing.
#pragma once

#include "port/run_store.h"

namespace braidlog::testing {

class EmptyReader : public StoreReader {
 public:
  Result<api::Session> session(SessionId) override { return fail(ErrorCode::kSessionNotFound, "none"); }
  Result<api::SessionList> sessions(const SessionQuery&) override { return api::SessionList{}; }
  Result<std::vector<api::Message>> messages(SessionId, std::uint64_t) override { return std::vector<api::Message>{}; }
  Result<api::Run> run(RunId) override { return fail(ErrorCode::kRunNotFound, "none"); }
  Result<api::RunList> runs(SessionId) override { return api::RunList{}; }
  Result<api::FoundRuns> find_runs(const RunQuery&) override { return api::FoundRuns{}; }
  Result<api::ApprovalList> approvals(SessionId) override { return api::ApprovalList{}; }
  Result<api::ApprovalList> approvals_of_user(const std::string&) override { return api::ApprovalList{}; }
  Result<api::ApprovalList> all_approvals() override { return api::ApprovalList{}; }
  Result<api::AlertList> alerts(std::uint32_t) override { return api::AlertList{}; }
  Result<api::Approval> approval(ApprovalId) override { return fail(ErrorCode::kApprovalNotFound, "none"); }
  Result<std::string> records(RunId) override { return fail(ErrorCode::kRunNotFound, "none"); }
  Result<api::TaskList> tasks(SessionId) override { return api::TaskList{}; }
  Result<api::ArtifactList> artifacts(SessionId, const std::string&) override { return api::ArtifactList{}; }
  Result<api::DataItemList> data_items(SessionId, const std::string&) override { return api::DataItemList{}; }
  Result<std::uint64_t> data_item_count(SessionId) override { return 0; }
  Result<api::Artifact> artifact(SessionId, ArtifactId) override { return fail(ErrorCode::kArtifactNotFound, "none"); }
  Result<api::DataItem> data_item(SessionId, DataItemId) override { return fail(ErrorCode::kDataItemNotFound, "none"); }
};

class EmptyStore : public RunStore {
 public:
  std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) override {
    return std::vector<Result<WriteOutcome>>(writes.size(), WriteOutcome{});
  }
  Result<std::vector<ClaimedRun>> claim_runs(const std::string&) override { return std::vector<ClaimedRun>{}; }
  Result<Id128> newest_id() override { return Id128{}; }
  Result<std::unique_ptr<StoreReader>> open_reader() override {
    return std::unique_ptr<StoreReader>(std::make_unique<EmptyReader>());
  }
};

}  // namespace braidlog::testing
