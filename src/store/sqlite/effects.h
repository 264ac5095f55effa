// Makes the tables show what an append's events say, in the same transaction.
#pragma once

#include "port/run_store.h"
#include "store/sqlite/item_writes.h"
#include "store/sqlite/live_runs.h"
#include "store/sqlite/session_period.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

// The columns after `effects`: what an effect leaves out stays as it was.
RunColumns merge(const RunColumns& before, const RunEffects& effects);

// True when the tables show it all already: nothing to write.
bool is_shown(const RunColumns& columns, const LazyBox<RunEffects>& effects);

// Runs on: the store's writer thread, inside a transaction.
class Effects {
 public:
  Effects(Database& database, ItemWrites& items) : database_(database), items_(items) {}

  // Messages, approvals, approved tools, done orders; tasks, artifacts and data items. `next_position` is that of the
  // session's next message, when it is known; after messages it is.
  Status apply(RunId run_id, SessionId session_id, const RunEffects& effects,
               std::optional<std::uint64_t>& next_position);
  Status write_columns(RunId run_id, Sequence last, const RunColumns& columns);
  // A finished run waits for nothing: its orders vanish and an approval that was left open counts as
  // rejected.
  Status close_run(RunId run_id);
  // The session was used at `at`, and before at `before` as far as is known. The clock may have stepped back; the
  // session's time does not.
  Status touch_session(SessionId session_id, WallTime at, std::optional<WallTime> before);

 private:
  Status add_messages(SessionId session_id, const RunEffects& effects, std::optional<std::uint64_t>& next_position);

  Database& database_;
  ItemWrites& items_;
  Statement next_position_{database_, "SELECT coalesce(max(position) + 1, 0) FROM message WHERE session_id = ?"};
  Statement insert_message_{database_,
                            "INSERT INTO message(id, session_id, position, role, content, created_at, run_id, attached)"
                            " VALUES(?, ?, ?, ?, ?, ?, ?, ?)"};
  Statement set_attached_{database_, "UPDATE message SET attached = ?3 WHERE id = ?1 AND session_id = ?2"};
  Statement insert_approval_{database_,
                             "INSERT INTO approval(id, run_id, session_id, user_id, tool_name, args_json, created_at)"
                             " VALUES(?1, ?2, ?3, (SELECT user_id FROM session WHERE id = ?3), ?4, ?5, ?6)"};
  // The first decision stands: an order that was placed earlier has decided already.
  Statement close_approval_{database_,
                            "UPDATE approval SET verdict = ?3 WHERE id = ?2 AND run_id = ?1 AND verdict IS NULL"};
  Statement insert_tool_{database_, "INSERT OR IGNORE INTO session_tool(session_id, tool) VALUES(?, ?)"};
  Statement delete_order_{database_, "DELETE FROM run_order WHERE id = ? AND run_id = ?"};
  Statement update_run_{database_,
                        "UPDATE run SET last_sequence = ?, status = ?, started_at = ?, ended_at = ?, failure "
                        "= ?, failure_message = ?,"
                        " input_tokens = ?, output_tokens = ?, cached_input_tokens = ?, cache_write_tokens = "
                        "?, reasoning_tokens = ?"
                        " WHERE id = ?"};
  Statement delete_orders_{database_, "DELETE FROM run_order WHERE run_id = ?"};
  Statement close_approvals_{database_, "UPDATE approval SET verdict = ?2 WHERE run_id = ?1 AND verdict IS NULL"};
  Statement touch_within_period_{database_,
                                 "UPDATE session SET updated_at = ?2"
                                 " WHERE id = ?1 AND updated_at < ?2 AND period = " BRAIDLOG_PERIOD_OF("?2")};
  Statement touch_session_{database_, "UPDATE session SET updated_at = ?2, period = " BRAIDLOG_PERIOD_OF(
                                          "?2") " WHERE id = ?1 AND updated_at < ?2"};
};

}  // namespace braidlog::store
