#include "dialect/session_items.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace braidlog {

namespace {

constexpr std::string_view kOther = "other";
constexpr std::array<std::string_view, 5> kArtifactTypes{"document", "note", "summary", "plan", kOther};

void write_optional(JsonWriter& w, std::string_view key, const std::optional<std::string>& text) {
  w.key(key);
  text ? w.string(*text) : w.null();
}

}  // namespace

std::string_view task_status_name(TaskStatus status) {
  switch (status) {
    case TaskStatus::kPending: return "pending";
    case TaskStatus::kInProgress: return "in_progress";
    case TaskStatus::kDone: return "done";
    case TaskStatus::kFailed: return "failed";
  }
  return "pending";  // a status written by a newer version
}

std::string_view data_operation_name(DataOperation operation) {
  switch (operation) {
    case DataOperation::kCreate: return "create";
    case DataOperation::kUpdate: return "update";
    case DataOperation::kDelete: return "delete";
  }
  return "update";  // an operation written by a newer version
}

std::string_view artifact_type_name(std::string_view type) {
  const auto known = std::ranges::find(kArtifactTypes, type);
  return known == kArtifactTypes.end() ? kOther : *known;
}

bool is_artifact_type(std::string_view type) {
  return std::ranges::find(kArtifactTypes, type) != kArtifactTypes.end();
}

void write_task(JsonWriter& w, const api::Task& task) {
  w.begin_object();
  w.key("id").string(to_uuid(task.id));
  w.key("sessionId").string(to_uuid(task.session_id));
  w.key("title").string(task.title);
  w.key("description").string(task.description);
  w.key("status").string(task_status_name(task.status));
  write_optional(w, "result", task.result);
  write_optional(w, "reflection", task.reflection);
  w.key("order").number(task.order);
  w.key("createdAt").string(to_iso8601(task.created_at));
  w.key("updatedAt").string(to_iso8601(task.updated_at));
  w.end_object();
}

void write_artifact(JsonWriter& w, const api::Artifact& artifact, ArtifactContent content) {
  w.begin_object();
  w.key("id").string(to_uuid(artifact.id));
  w.key("sessionId").string(to_uuid(artifact.session_id));
  w.key("taskId");
  artifact.task_id ? w.string(to_uuid(*artifact.task_id)) : w.null();
  w.key("name").string(artifact.name);
  w.key("type").string(artifact_type_name(artifact.type));
  if (content == ArtifactContent::kShown) w.key("content").string(artifact.content);
  w.key("createdAt").string(to_iso8601(artifact.created_at));
  w.end_object();
}

void write_data_item(JsonWriter& w, const api::DataItem& item) {
  w.begin_object();
  w.key("id").string(to_uuid(item.id));
  w.key("sessionId").string(to_uuid(item.session_id));
  w.key("itemType").string(item.item_type);
  w.key("data").raw(item.data_json.empty() ? "null" : item.data_json);
  w.key("createdAt").string(to_iso8601(item.created_at));
  w.key("updatedAt").string(to_iso8601(item.updated_at));
  w.end_object();
}

}  // namespace braidlog
