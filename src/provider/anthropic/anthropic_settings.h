// How a model of provider `anthropic` is asked: what the agent file says, filled up from the environment.
#pragma once

#include <string>

#include "provider/anthropic/messages_request.h"
#include "provider/server_settings.h"

namespace braidlog::provider {

struct AnthropicSettings {
  std::string base_url;  // without a slash at its end, and without /v1
  std::string api_key;   // empty: none is sent
  MessagesSettings messages;
};

bool environment_names_anthropic(const Environment& environment);

// As server_settings() says, with ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL and ANTHROPIC_MODEL.
Result<AnthropicSettings> anthropic_settings(const api::ModelSpec& spec, const Environment& environment);

}  // namespace braidlog::provider
