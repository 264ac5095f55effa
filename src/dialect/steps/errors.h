// The one place where an Error becomes a status and a body of the steps contract: {"error":"text"}, the shape of all
// session routes. The contract has its own words for a session that is not there and for one that is busy.
#pragma once

#include "base/error.h"
#include "wire/http.h"

namespace braidlog::steps {

HttpResponse error_response(const Error& error);

// There is nothing to interrupt.
Error no_active_run();

}  // namespace braidlog::steps
