// HTTP requests about sessions -> commands and queries, or the Error that the client gets. Body, fields and parameters
// are looked at before the id of the path.
#pragma once

#include "api/service.h"
#include "base/result.h"
#include "dialect/dialect.h"

namespace braidlog::sessions {

Result<api::CreateSession> read_create(const RouteRequest& request);
Result<api::GetWholeSession> read_get(const RouteRequest& request);
Result<api::RenameSession> read_rename(const RouteRequest& request);
Result<api::DeleteSession> read_delete(const RouteRequest& request);
Result<api::ListSessions> read_list(const RouteRequest& request);

}  // namespace braidlog::sessions
