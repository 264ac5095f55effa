// Reads what is committed, over a connection of its own: readers never wait for the writer, nor it for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "port/run_store.h"
#include "store/sqlite/item_reader.h"
#include "store/sqlite/run_finder.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

class SqliteReader final : public StoreReader {
 public:
  explicit SqliteReader(std::unique_ptr<Database> database);
  ~SqliteReader() override;

  Result<api::Session> session(SessionId id) override;
  Result<api::SessionList> sessions(const SessionQuery& query) override;
  Result<std::vector<api::Message>> messages(SessionId id, std::uint64_t count_max) override;
  Result<api::Run> run(RunId id) override;
  Result<api::RunList> runs(SessionId session_id) override;
  Result<api::FoundRuns> find_runs(const RunQuery& query) override { return finder_.find(query); }
  Result<api::ApprovalList> approvals(SessionId session_id) override;
  Result<api::ApprovalList> approvals_of_user(const std::string& user_id) override;
  Result<api::ApprovalList> all_approvals() override;
  Result<api::AlertList> alerts(std::uint32_t limit) override;
  Result<api::Approval> approval(ApprovalId id) override;
  Result<std::string> records(RunId id) override;
  Result<api::TaskList> tasks(SessionId session_id) override { return items_.tasks(session_id); }
  Result<api::ArtifactList> artifacts(SessionId session_id, const std::string& type) override {
    return items_.artifacts(session_id, type);
  }
  Result<api::DataItemList> data_items(SessionId session_id, const std::string& item_type) override {
    return items_.data_items(session_id, item_type);
  }
  Result<std::uint64_t> data_item_count(SessionId session_id) override { return items_.data_item_count(session_id); }
  Result<api::Artifact> artifact(SessionId session_id, ArtifactId id) override {
    return items_.artifact(session_id, id);
  }
  Result<api::DataItem> data_item(SessionId session_id, DataItemId id) override {
    return items_.data_item(session_id, id);
  }

 private:
  struct Statements;
  Status add_tools(api::Session& session);
  Result<std::uint64_t> count_sessions(const SessionQuery& query);

  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> sql_;
  ItemReader items_{*database_};
  RunFinder finder_{*database_};
};

}  // namespace braidlog::store
