#include "store/sqlite/item_reader.h"

namespace braidlog::store {

namespace {

std::optional<std::string> optional_text(const Row& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.text(column));
}

// None of a row that is damaged.
std::optional<api::Task> read_task(const Row& row) {
  api::Task task{.id = row.id<TaskId>(0),
                 .session_id = row.id<SessionId>(1),
                 .title = row.text(2),
                 .description = row.text(3),
                 .status = static_cast<TaskStatus>(row.integer(4)),
                 .result = optional_text(row, 5),
                 .reflection = optional_text(row, 6),
                 .order = static_cast<std::uint32_t>(row.integer(7)),
                 .created_at = row.time(8),
                 .updated_at = row.time(9)};
  const bool is_status = row.integer(4) >= 0 && row.integer(4) <= static_cast<int>(TaskStatus::kFailed);
  if (task.id.is_nil() || !is_status) return std::nullopt;
  return task;
}

std::optional<api::Artifact> read_artifact(const Row& row) {
  api::Artifact artifact{.id = row.id<ArtifactId>(0),
                         .session_id = row.id<SessionId>(1),
                         .task_id = std::nullopt,
                         .name = row.text(3),
                         .type = row.text(4),
                         .content = row.text(6),
                         .created_at = row.time(5)};
  if (!row.is_null(2)) artifact.task_id = row.id<TaskId>(2);
  if (artifact.id.is_nil() || (artifact.task_id && artifact.task_id->is_nil())) return std::nullopt;
  return artifact;
}

std::optional<api::DataItem> read_data_item(const Row& row) {
  api::DataItem item{.id = row.id<DataItemId>(0),
                     .session_id = row.id<SessionId>(1),
                     .item_type = row.text(2),
                     .data_json = row.text(3),
                     .created_at = row.time(4),
                     .updated_at = row.time(5)};
  if (item.id.is_nil()) return std::nullopt;
  return item;
}

template <class T, class Read, class... Args>
Result<std::vector<T>> read_list(Statement& statement, Read read, const Args&... args) {
  std::vector<T> list;
  bool damaged = false;
  auto found = statement.each(
      [&](const Row& row) {
        auto one = read(row);
        damaged = damaged || !one;
        if (one) list.push_back(std::move(*one));
      },
      args...);
  if (!found) return fail(found.error());
  if (damaged) return fail(storage_error(SQLITE_CORRUPT));
  return list;
}

template <class T, class Read, class IdType>
Result<T> read_one(Statement& statement, Read read, SessionId session_id, IdType id, Error not_found) {
  std::optional<T> one;
  auto found = statement.one([&](const Row& row) { one = read(row); }, session_id, id);
  if (!found) return fail(found.error());
  if (!*found) return fail(std::move(not_found));
  if (!one) return fail(storage_error(SQLITE_CORRUPT));
  return std::move(*one);
}

}  // namespace

Result<api::TaskList> ItemReader::tasks(SessionId session_id) {
  return read_list<api::Task>(tasks_, read_task, session_id);
}

Result<api::ArtifactList> ItemReader::artifacts(SessionId session_id, const std::string& type) {
  return read_list<api::Artifact>(artifacts_, read_artifact, session_id, type);
}

Result<api::DataItemList> ItemReader::data_items(SessionId session_id, const std::string& item_type) {
  return read_list<api::DataItem>(data_items_, read_data_item, session_id, item_type);
}

Result<std::uint64_t> ItemReader::data_item_count(SessionId session_id) {
  std::uint64_t count = 0;
  auto found = data_item_count_.each([&](const Row& row) { count = row.number(0); }, session_id);
  if (!found) return fail(found.error());
  return count;
}

Result<api::Artifact> ItemReader::artifact(SessionId session_id, ArtifactId id) {
  return read_one<api::Artifact>(artifact_, read_artifact, session_id, id,
                                 {ErrorCode::kArtifactNotFound, "Artifact not found", {}});
}

Result<api::DataItem> ItemReader::data_item(SessionId session_id, DataItemId id) {
  return read_one<api::DataItem>(data_item_, read_data_item, session_id, id,
                                 {ErrorCode::kDataItemNotFound, "Data item not found", {}});
}

}  // namespace braidlog::store
