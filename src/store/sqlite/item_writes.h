// The tables of tasks, artifacts and data items: what the effects of a run make of them, and the one thing that a
// client may do to them.
#pragma once

#include <string>
#include <vector>

#include "port/run_store.h"
#include "store/sqlite/session_period.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

// Runs on: the store's writer thread, inside a transaction.
class ItemWrites {
 public:
  explicit ItemWrites(Database& database) : database_(database) {}

  // The effects change something here, and say when. An artifact or an item whose id is taken is refused when some of
  // them are written already.
  Status apply(SessionId session_id, const RunEffects& effects);
  Result<WriteOutcome> apply(const RemoveArtifact& write);
  // Everything that the session has.
  Status remove_all(SessionId session_id);

 private:
  Status replace_tasks(SessionId session_id, const std::vector<TaskItem>& tasks, WallTime at);
  Status change_task(SessionId session_id, const TaskChange& change, WallTime at);
  Status add_artifact(SessionId session_id, const api::Artifact& artifact);
  Status change_data_item(SessionId session_id, const DataItemChange& change);

  Database& database_;
  Statement find_tasks_{database_, "SELECT id FROM task WHERE session_id = ?"};
  Statement delete_task_{database_, "DELETE FROM task WHERE session_id = ? AND id = ?"};
  // A task that is the same as before keeps its time too.
  Statement put_task_{database_,
                      "INSERT INTO task(session_id, id, position, title, description, status, created_at, updated_at)"
                      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)"
                      " ON CONFLICT(session_id, id) DO UPDATE SET position = excluded.position, title = excluded.title,"
                      " description = excluded.description, status = excluded.status,"
                      " updated_at = max(updated_at, excluded.updated_at)"
                      " WHERE (position, title, description, status) IS NOT"
                      " (excluded.position, excluded.title, excluded.description, excluded.status)"};
  Statement change_task_{database_,
                         "UPDATE task SET status = ?3, result = coalesce(?4, result),"
                         " reflection = coalesce(?5, reflection), updated_at = max(updated_at, ?6)"
                         " WHERE session_id = ?1 AND id = ?2"};
  Statement insert_artifact_{database_,
                             "INSERT INTO artifact(session_id, id, task_id, name, type, created_at, content)"
                             " VALUES(?, ?, ?, ?, ?, ?, ?)"};
  Statement insert_item_{database_,
                         "INSERT INTO data_item(session_id, id, item_type, created_at, updated_at, data_json)"
                         " VALUES(?, ?, ?, ?, ?, ?)"};
  Statement update_item_{database_,
                         "UPDATE data_item SET item_type = ?3, updated_at = max(updated_at, ?4), data_json = ?5"
                         " WHERE session_id = ?1 AND id = ?2"};
  Statement delete_item_{database_, "DELETE FROM data_item WHERE session_id = ? AND id = ?"};
  // The clock may have stepped back; the session's time does not.
  Statement update_session_{database_,
                            "UPDATE session SET updated_at = max(updated_at, ?2),"
                            " period = " BRAIDLOG_PERIOD_OF("max(updated_at, ?2)") ", status = coalesce(?3, status),"
                            " task_version = task_version + ?4 WHERE id = ?1"};
  Statement delete_artifact_{database_, "DELETE FROM artifact WHERE session_id = ? AND id = ?"};
  Statement delete_tasks_{database_, "DELETE FROM task WHERE session_id = ?"};
  Statement delete_artifacts_{database_, "DELETE FROM artifact WHERE session_id = ?"};
  Statement delete_items_{database_, "DELETE FROM data_item WHERE session_id = ?"};
};

}  // namespace braidlog::store
