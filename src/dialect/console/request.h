// Requests of the console -> commands and queries. What they say is in docs/console-api.md.
#pragma once

#include "api/service.h"
#include "dialect/dialect.h"

namespace braidlog::console {

// ?q=&status=&agent=&session_id=&limit=&before=&scope=all
Result<api::FindRuns> read_find_runs(const RouteRequest& request);

// {message, agent?, session_id?, way?, files?}, as JSON or as a form.
Result<api::StartRun> read_start(const RouteRequest& request);

Result<api::ListAgents> read_list_agents(const RouteRequest& request);
Result<api::GetSystem> read_get_system(const RouteRequest& request);

}  // namespace braidlog::console
