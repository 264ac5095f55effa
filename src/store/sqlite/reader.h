// Reads what is committed, over a connection of its own: readers never wait for the writer, nor it for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "port/run_store.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

// A row of these columns.
#define BRAIDLOG_RUN_COLUMNS                                                                                \
  "id, session_id, user_id, agent, contract, status, created_at, started_at, ended_at, failure, "           \
  "failure_message,"                                                                                        \
  " input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, last_sequence," \
  " replayable"
api::Run read_run(const Row& row);

class SqliteReader final : public StoreReader {
 public:
  explicit SqliteReader(std::unique_ptr<Database> database);
  ~SqliteReader() override;

  Result<api::Session> session(SessionId id) override;
  Result<api::SessionList> sessions(const SessionQuery& query) override;
  Result<std::vector<api::Message>> messages(SessionId id, std::uint64_t count_max) override;
  Result<api::Run> run(RunId id) override;
  Result<api::RunList> runs(SessionId session_id) override;
  Result<api::ApprovalList> approvals(SessionId session_id) override;
  Result<api::ApprovalList> approvals_of_user(const std::string& user_id) override;
  Result<api::ApprovalList> all_approvals() override;
  Result<api::AlertList> alerts(std::uint32_t limit) override;
  Result<api::Approval> approval(ApprovalId id) override;
  Result<std::string> records(RunId id) override;

 private:
  struct Statements;
  Status add_tools(api::Session& session);

  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> sql_;
};

}  // namespace braidlog::store
