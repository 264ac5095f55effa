// The one place where an Error becomes a status and a body of the identity routes: {"detail":"text"}. A wrong field and
// a body that is no JSON are 422, as in the conversation contract, whose clients log in here.
#pragma once

#include "base/error.h"
#include "wire/http.h"

namespace braidlog::identity {

HttpResponse error_response(const Error& error);

}  // namespace braidlog::identity
