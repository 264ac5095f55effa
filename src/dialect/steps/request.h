// HTTP requests of the steps contract -> commands and queries, or the Error that the client gets. The query is looked
// at before the id of the path: what is wrong with it is told even when the session does not exist.
#pragma once

#include "api/service.h"
#include "base/result.h"
#include "dialect/dialect.h"

namespace braidlog::steps {

// GET ?query=: what a browser's EventSource can send. It means the live run of the same text, if that has just begun.
Result<api::StartRun> read_linked_query(const RouteRequest& request);
// POST {"query"}. An empty body is one without a query.
Result<api::StartRun> read_posted_query(const RouteRequest& request);

Result<api::GetSession> read_session(const RouteRequest& request);
Result<api::ListSteps> read_list_steps(const RouteRequest& request);

}  // namespace braidlog::steps
