// What a run is told when a provider fails: honest, and without a word of what the provider wrote. Its texts may hold
// keys, addresses and other people's data.
#pragma once

#include <string_view>

#include "base/error.h"
#include "net/http_client.h"
#include "provider/attempt.h"

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
AttemptFailure failure_of_end(CallEnd end);

// An error inside a stream that began well. `status` is the one that the provider would have answered with; 0 when it
// did not say, and then nothing is known to get better by asking again.
AttemptFailure failure_in_stream(int status);
// The status that belongs to the type or code of an error ("overloaded_error", "rate_limit_exceeded", "429"); 0 for
// words that are not known.
int status_of_error_word(std::string_view word);

}  // namespace braidlog::provider
