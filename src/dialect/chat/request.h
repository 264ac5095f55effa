// HTTP requests of the chat contract -> commands, or the Error that the client gets. The message and the other fields
// are looked at first, then the files (files.h).
#pragma once

#include "api/service.h"
#include "base/result.h"
#include "dialect/dialect.h"

namespace braidlog::chat {

// POST: a JSON object {message, session_id?, files?:[{content, mime_type, filename?}]} with the contents in base64, or
// multipart/form-data with the same fields, `files` as often as there are files.
Result<api::StartRun> read_posted_message(const RouteRequest& request);
// GET: the query parameters `message` and `session_id`, for clients that cannot post.
Result<api::StartRun> read_linked_message(const RouteRequest& request);

}  // namespace braidlog::chat
