// The headers of an HTTP tool as they are sent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "tool/http/secrets.h"
#include "wire/http.h"

namespace braidlog::tool {

// `written` with the values of its variables, which `secrets` remembers; an Accept, and with a body a Content-Type,
// where the operator wrote none. kBadField names the header, never a value: it is no header, one that belongs to the
// connection, a variable that is not set, or a value that would break the line.
Result<std::vector<HttpHeader>> request_headers(const std::map<std::string, std::string>& written, bool has_body,
                                                const Environment& environment, Secrets& secrets);

}  // namespace braidlog::tool
