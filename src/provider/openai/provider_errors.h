// What a run is told when a provider fails: honest, and without a word of what the provider wrote. Its texts may hold
// keys, addresses and other people's data.
#pragma once

#include "base/error.h"
#include "net/http_client.h"

namespace braidlog::provider {

// `status` is not 2xx.
Error error_of_status(int status);
// The call ended without an answer.
Error error_of_end(CallEnd end);

}  // namespace braidlog::provider
