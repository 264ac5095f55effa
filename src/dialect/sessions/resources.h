// Results -> bodies of the session routes: ids as uuid, names in camelCase.
#pragma once

#include "api/service.h"
#include "wire/http.h"

namespace braidlog::sessions {

HttpResponse session_created(const api::Session& session);
HttpResponse session_body(const api::Session& session);
HttpResponse session_list(const api::SessionList& list);
// With everything that the session holds, but without the contents of artifacts.
HttpResponse session_detail(const api::WholeSession& whole);
HttpResponse session_deleted(const api::DeletedSession& deleted);

}  // namespace braidlog::sessions
