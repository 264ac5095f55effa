// HTTP requests of the conversation contract -> commands and queries, or the Error that the client gets. Body and
// fields are looked at before ids: what is wrong with them is told even when the conversation does not exist.
#pragma once

#include "api/service.h"
#include "base/result.h"
#include "dialect/dialect.h"

namespace braidlog::conversation {

// A message to a new or an existing conversation. The path is part of what an idempotency key stands for.
Result<api::StartRun> read_message(const RouteRequest& request);

Result<api::ListConversations> read_history(const RouteRequest& request);
Result<api::GetConversation> read_get(const RouteRequest& request);
Result<api::RenameSession> read_rename(const RouteRequest& request);
Result<api::DeleteSession> read_delete(const RouteRequest& request);

}  // namespace braidlog::conversation
