#include "provider/openai/openai_settings.h"

#include <utility>

namespace braidlog::provider {

namespace {

constexpr ServerDefaults kDefaults{.key_variable = "OPENAI_API_KEY",
                                   .url_variable = "OPENAI_BASE_URL",
                                   .model_variable = "OPENAI_MODEL",
                                   .url = "https://api.openai.com/v1",
                                   .model = "gpt-4o-mini"};

}  // namespace

bool environment_names_openai(const Environment& environment) {
  return environment_names(kDefaults, environment);
}

Result<OpenAiSettings> openai_settings(const api::ModelSpec& spec, const Environment& environment) {
  auto server = server_settings(kDefaults, spec, environment);
  if (!server) return fail(std::move(server.error()));
  OpenAiSettings settings;
  settings.base_url = std::move(server->base_url);
  settings.api_key = std::move(server->api_key);
  settings.chat.model = std::move(server->model);
  settings.chat.temperature = spec.temperature;
  settings.chat.max_tokens = spec.max_tokens;
  settings.chat.returns_reasoning = spec.returns_reasoning;
  settings.chat.is_openai = settings.base_url == kDefaults.url;
  settings.chat.owner = {"openai", settings.base_url};
  return settings;
}

}  // namespace braidlog::provider
