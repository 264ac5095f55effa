// The one place where an Error becomes a status and a body of these routes: {"error":"text"}.
#pragma once

#include "base/error.h"
#include "wire/http.h"

namespace braidlog::log {

HttpResponse error_response(const Error& error);

}  // namespace braidlog::log
