// What goes wrong, as the console is told: {"error":"text"}, the shape of the routes that are no contract's.
#pragma once

#include "base/error.h"
#include "wire/http.h"

namespace braidlog::console {

HttpResponse error_response(const Error& error);

}  // namespace braidlog::console
