// The one place where an Error becomes a status and a body of the conversation contract: {"detail":"…"}. What the
// caller got wrong in body or fields is 422; the rest is as in most contracts.
#pragma once

#include <string_view>

#include "base/error.h"
#include "wire/http.h"

namespace braidlog::conversation {

HttpResponse error_response(const Error& error);

HttpResponse detail_response(int status, std::string_view detail);

}  // namespace braidlog::conversation
