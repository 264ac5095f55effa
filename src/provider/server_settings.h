// Where a model's server is and what key it gets: what the agent file says, filled up from the environment.
#pragma once

#include <string>

#include "api/agent.h"
#include "base/environment.h"
#include "base/result.h"

namespace braidlog::provider {

// What a provider has by default, and the variables that say otherwise.
struct ServerDefaults {
  const char* key_variable;
  const char* url_variable;
  const char* model_variable;
  const char* url;
  const char* model;
};

struct ServerSettings {
  std::string base_url;  // without a slash at its end
  std::string api_key;   // empty: none is sent
  std::string model;
};

// The environment alone is enough for a model: it has a key or an address.
bool environment_names(const ServerDefaults& defaults, const Environment& environment);

// A key goes to the server it was meant for only: that of the key variable to the server of the url variable (or the
// provider's own), that of `api_key_env` to the agent's `base_url`. kBadField, in a line that names the variable and
// never its value.
Result<ServerSettings> server_settings(const ServerDefaults& defaults, const api::ModelSpec& spec,
                                       const Environment& environment);

}  // namespace braidlog::provider
