// Texts here come from models and tools, and go out in JSON, which cannot carry broken UTF-8: it is mended on its way
// in.

#include "store/sqlite/item_writes.h"

#include <algorithm>

#include "base/check.h"
#include "base/utf8.h"

namespace braidlog::store {

namespace {

std::optional<std::string> valid_or_none(const std::optional<std::string>& text) {
  return text ? std::optional(to_valid_utf8(*text)) : std::nullopt;
}

}  // namespace

Status ItemWrites::apply(SessionId session_id, const RunEffects& effects) {
  BRAIDLOG_CHECK(effects.changed_at.has_value());
  const WallTime at = *effects.changed_at;
  if (effects.tasks) {
    if (auto status = replace_tasks(session_id, *effects.tasks, at); !status) return status;
  }
  for (const TaskChange& change : effects.task_changes) {
    if (auto status = change_task(session_id, change, at); !status) return status;
  }
  for (const api::Artifact& artifact : effects.artifacts) {
    if (auto status = add_artifact(session_id, artifact); !status) return status;
  }
  for (const DataItemChange& change : effects.data_items) {
    if (auto status = change_data_item(session_id, change); !status) return status;
  }
  return update_session_.run(session_id, at, effects.session_status, effects.changes_tasks());
}

Status ItemWrites::replace_tasks(SessionId session_id, const std::vector<TaskItem>& tasks, WallTime at) {
  std::vector<TaskId> gone;
  auto found = find_tasks_.each(
      [&](const Row& row) {
        const auto id = row.id<TaskId>(0);
        if (std::ranges::find(tasks, id, &TaskItem::id) == tasks.end()) gone.push_back(id);
      },
      session_id);
  if (!found) return fail(found.error());
  for (const TaskId id : gone) {
    if (auto status = delete_task_.run(session_id, id); !status) return status;
  }
  for (const TaskItem& task : tasks) {
    if (auto status = put_task_.run(session_id, task.id, task.order, to_valid_utf8(task.title),
                                    to_valid_utf8(task.description), task.status, at);
        !status) {
      return status;
    }
  }
  return {};
}

Status ItemWrites::change_task(SessionId session_id, const TaskChange& change, WallTime at) {
  return change_task_.run(session_id, change.id, change.status, valid_or_none(change.result),
                          valid_or_none(change.reflection), at);
}

Status ItemWrites::add_artifact(SessionId session_id, const api::Artifact& artifact) {
  return insert_artifact_.run(session_id, artifact.id, artifact.task_id, to_valid_utf8(artifact.name),
                              to_valid_utf8(artifact.type), artifact.created_at, to_valid_utf8(artifact.content));
}

Status ItemWrites::change_data_item(SessionId session_id, const DataItemChange& change) {
  const api::DataItem& item = change.item;
  switch (change.operation) {
    case DataOperation::kCreate:
      return insert_item_.run(session_id, item.id, to_valid_utf8(item.item_type), item.created_at, item.updated_at,
                              to_valid_utf8(item.data_json));
    case DataOperation::kUpdate:
      return update_item_.run(session_id, item.id, to_valid_utf8(item.item_type), item.updated_at,
                              to_valid_utf8(item.data_json));
    case DataOperation::kDelete: return delete_item_.run(session_id, item.id);
  }
  return {};
}

Result<WriteOutcome> ItemWrites::apply(const RemoveArtifact& write) {
  if (auto status = delete_artifact_.run(write.session_id, write.id); !status) return fail(status.error());
  if (database_.changes() == 0) return fail(ErrorCode::kArtifactNotFound, "Artifact not found");
  return WriteOutcome{};
}

Status ItemWrites::remove_all(SessionId session_id) {
  for (Statement* statement : {&delete_tasks_, &delete_artifacts_, &delete_items_}) {
    if (auto status = statement->run(session_id); !status) return status;
  }
  return {};
}

}  // namespace braidlog::store
