// HTTP requests about sessions -> commands and queries, or the Error that the client gets. Body, fields and parameters
// are looked at before the id of the path.
#pragma once

#include <optional>

#include "api/service.h"
#include "base/result.h"
#include "dialect/dialect.h"
#include "dialect/sessions/status.h"

namespace braidlog::sessions {

Result<api::CreateSession> read_create(const RouteRequest& request);
Result<api::GetConversation> read_get(const RouteRequest& request);
Result<api::RenameSession> read_rename(const RouteRequest& request);
Result<api::DeleteSession> read_delete(const RouteRequest& request);

// `status`: only sessions that are at this point; none: all.
struct ListRequest {
  api::ListSessions query;
  std::optional<SessionStatus> status;
};
Result<ListRequest> read_list(const RouteRequest& request);

}  // namespace braidlog::sessions
