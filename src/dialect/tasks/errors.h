// The one place where an Error becomes a status and a body of the tasks contract:
//
//   {"error":"Task not found","code":"NOT_FOUND","message":"Task not found","detail":"Task not found"}
//
// A program reads `code`. The words stand under each name that clients of this contract's kind look for. What the
// caller got wrong in body, fields or parameters is 422.
#pragma once

#include "base/error.h"
#include "wire/http.h"

namespace braidlog::tasks {

HttpResponse error_response(const Error& error);

}  // namespace braidlog::tasks
