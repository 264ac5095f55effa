// What agents leave in a session, as the routes of sessions and of tasks write it: ids as uuid, names in camelCase.
#pragma once

#include <string_view>

#include "api/task.h"
#include "base/json.h"

namespace braidlog {

// "pending", "in_progress", "done" or "failed".
std::string_view task_status_name(TaskStatus status);
// "create", "update" or "delete".
std::string_view data_operation_name(DataOperation operation);

// What an artifact can be; everything else that a log names is "other".
std::string_view artifact_type_name(std::string_view type);
bool is_artifact_type(std::string_view type);

enum class ArtifactContent { kShown, kLeftOut };

void write_task(JsonWriter& w, const api::Task& task);
void write_artifact(JsonWriter& w, const api::Artifact& artifact, ArtifactContent content);
void write_data_item(JsonWriter& w, const api::DataItem& item);

}  // namespace braidlog
