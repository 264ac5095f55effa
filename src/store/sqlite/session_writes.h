// The writes that concern a session. Each checks first and writes after; a refused one has touched nothing.
#pragma once

#include "port/run_store.h"
#include "store/sqlite/item_writes.h"
#include "store/sqlite/journal.h"
#include "store/sqlite/session_period.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

// Runs on: the store's writer thread, inside a transaction.
class SessionWrites {
 public:
  SessionWrites(Database& database, Journal& journal, ItemWrites& items)
      : database_(database), journal_(journal), items_(items) {}

  Result<WriteOutcome> apply(const NewSession& write);
  Result<WriteOutcome> apply(const SetSession& write);
  Result<WriteOutcome> apply(const RemoveSession& write);

 private:
  Database& database_;
  Journal& journal_;
  ItemWrites& items_;
  Statement insert_{
      database_,
      "INSERT INTO session(id, user_id, title, agent, contract, auto_approve, created_at, updated_at,"
      " status, task_version, period) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, " BRAIDLOG_PERIOD_OF("?8") ")"};
  Statement insert_tool_{database_, "INSERT OR IGNORE INTO session_tool(session_id, tool) VALUES(?, ?)"};
  Statement update_{
      database_,
      "UPDATE session SET auto_approve = coalesce(?2, auto_approve), title = coalesce(?3, title),"
      " updated_at = max(updated_at, ?4), period = " BRAIDLOG_PERIOD_OF("max(updated_at, ?4)") " WHERE id = ?1"};
  Statement find_unfinished_{database_, "SELECT 1 FROM run WHERE session_id = ? AND status < 4"};
  // Every table that holds something of a session, the session last.
  Statement delete_records_{database_,
                            "DELETE FROM run_record WHERE run_id IN (SELECT id FROM run WHERE session_id = ?)"};
  Statement delete_approvals_{database_,
                              "DELETE FROM approval WHERE run_id IN (SELECT id FROM run WHERE session_id = ?)"};
  Statement delete_orders_{database_,
                           "DELETE FROM run_order WHERE run_id IN (SELECT id FROM run WHERE session_id = ?)"};
  Statement delete_keys_{database_, "DELETE FROM run_key WHERE session_id = ?"};
  Statement delete_messages_{database_, "DELETE FROM message WHERE session_id = ?"};
  Statement delete_tools_{database_, "DELETE FROM session_tool WHERE session_id = ?"};
  Statement delete_runs_{database_, "DELETE FROM run WHERE session_id = ?"};
  Statement delete_session_{database_, "DELETE FROM session WHERE id = ?"};
};

}  // namespace braidlog::store
