// HTTP requests of the tasks contract -> commands and queries, or the Error that the client gets. Body, fields and
// parameters are looked at before the ids of the path.
#pragma once

#include "api/service.h"
#include "base/result.h"
#include "dialect/dialect.h"

namespace braidlog::tasks {

// A message to the planner.
Result<api::StartRun> read_chat(const RouteRequest& request);
// An order to work on the pending tasks. A body is not needed and has no fields.
Result<api::StartRun> read_execute(const RouteRequest& request);

Result<api::ListTasks> read_list_tasks(const RouteRequest& request);
Result<api::GetTask> read_get_task(const RouteRequest& request);
Result<api::ListArtifacts> read_list_artifacts(const RouteRequest& request);
Result<api::GetArtifact> read_get_artifact(const RouteRequest& request);
Result<api::DeleteArtifact> read_delete_artifact(const RouteRequest& request);
Result<api::ListDataItems> read_list_data_items(const RouteRequest& request);
Result<api::GetDataItem> read_get_data_item(const RouteRequest& request);

}  // namespace braidlog::tasks
