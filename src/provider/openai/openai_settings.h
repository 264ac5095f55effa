// How a model of provider `openai` is asked: what the agent file says, filled up from the environment.
#pragma once

#include <string>

#include "provider/openai/chat_request.h"
#include "provider/server_settings.h"

namespace braidlog::provider {

struct OpenAiSettings {
  std::string base_url;  // without a slash at its end
  std::string api_key;   // empty: none is sent
  ChatSettings chat;
};

// The environment alone is enough for a model of OpenAI or of a compatible server.
bool environment_names_openai(const Environment& environment);

// As server_settings() says, with OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL.
Result<OpenAiSettings> openai_settings(const api::ModelSpec& spec, const Environment& environment);

}  // namespace braidlog::provider
