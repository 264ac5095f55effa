// Where a model of provider `openai` is and how it is asked: what the agent file says, filled up from the environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/agent.h"
#include "base/result.h"
#include "provider/openai/chat_request.h"

namespace braidlog::provider {

// The value of an environment variable; none when it is not set, or empty.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> process_environment(const std::string& name);

struct OpenAiSettings {
  std::string base_url;  // without a slash at its end
  std::string api_key;   // empty: none is sent
  ChatSettings chat;
};

// The environment alone is enough for a model of OpenAI or of a compatible server.
bool environment_names_openai(const Environment& environment);

// A key goes to the server it was meant for only: OPENAI_API_KEY to the server of OPENAI_BASE_URL (or OpenAI's own),
// the key of `api_key_env` to the agent's `base_url`. kBadField, in a line that names the variable and never its value.
Result<OpenAiSettings> openai_settings(const api::ModelSpec& spec, const Environment& environment);

}  // namespace braidlog::provider
