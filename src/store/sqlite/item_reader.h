// Reads tasks, artifacts and data items: a part of reader.h. A row that cannot be one of ours (an id of another length,
// a status that there is not) is damage, and the answer is kStorage.
#pragma once

#include <string>

#include "port/run_store.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

class ItemReader {
 public:
  explicit ItemReader(Database& database) : database_(database) {}

  Result<api::TaskList> tasks(SessionId session_id);
  Result<api::ArtifactList> artifacts(SessionId session_id, const std::string& type);
  Result<api::DataItemList> data_items(SessionId session_id, const std::string& item_type);
  Result<std::uint64_t> data_item_count(SessionId session_id);
  Result<api::Artifact> artifact(SessionId session_id, ArtifactId id);
  Result<api::DataItem> data_item(SessionId session_id, DataItemId id);

 private:
  Database& database_;
  Statement tasks_{database_,
                   "SELECT id, session_id, title, description, status, result, reflection, position, created_at,"
                   " updated_at FROM task WHERE session_id = ? ORDER BY position, id"};
  // A list leaves the content where it is, on pages of its own.
  Statement artifacts_{database_,
                       "SELECT id, session_id, task_id, name, type, created_at, '' FROM artifact"
                       " WHERE session_id = ?1 AND (?2 = '' OR type = ?2) ORDER BY number"};
  Statement artifact_{database_,
                      "SELECT id, session_id, task_id, name, type, created_at, content FROM artifact"
                      " WHERE session_id = ? AND id = ?"};
  Statement data_items_{database_,
                        "SELECT id, session_id, item_type, data_json, created_at, updated_at FROM data_item"
                        " WHERE session_id = ?1 AND (?2 = '' OR item_type = ?2) ORDER BY number"};
  Statement data_item_count_{database_, "SELECT count(*) FROM data_item WHERE session_id = ?"};
  Statement data_item_{database_,
                       "SELECT id, session_id, item_type, data_json, created_at, updated_at FROM data_item"
                       " WHERE session_id = ? AND id = ?"};
};

}  // namespace braidlog::store
