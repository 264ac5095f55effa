// What a run is told when a provider fails: honest, and without a word of what the provider wrote. Its texts may hold
// keys, addresses and other people's data.
#pragma once

#include <string_view>

#include "base/error.h"
#include "net/http_client.h"

namespace braidlog::provider {

// `status` is not 2xx.
Error error_of_status(int status);
// The same for a request that offered tools, with what was read of the body. kToolsRefused when the status is one that
// a request can be to blame for and the body speaks of tools or functions not being supported; the body goes no
// further.
Error error_of_tool_request(int status, std::string_view body);
// Whether the body of such a status is worth reading before the error is told.
bool may_refuse_tools(int status);
// The call ended without an answer.
Error error_of_end(CallEnd end);

}  // namespace braidlog::provider
