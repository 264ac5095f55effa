#include "provider/anthropic/anthropic_settings.h"

#include <utility>

namespace braidlog::provider {

namespace {

constexpr ServerDefaults kDefaults{.key_variable = "ANTHROPIC_API_KEY",
                                   .url_variable = "ANTHROPIC_BASE_URL",
                                   .model_variable = "ANTHROPIC_MODEL",
                                   .url = "https://api.anthropic.com",
                                   .model = "claude-haiku-4-5"};
// The server must be told; every model since 2024 can write as much.
constexpr unsigned kMaxTokens = 8'192;
constexpr std::string_view kVersionPath = "/v1";

}  // namespace

bool environment_names_anthropic(const Environment& environment) {
  return environment_names(kDefaults, environment);
}

Result<AnthropicSettings> anthropic_settings(const api::ModelSpec& spec, const Environment& environment) {
  auto server = server_settings(kDefaults, spec, environment);
  if (!server) return fail(std::move(server.error()));
  AnthropicSettings settings;
  settings.base_url = std::move(server->base_url);
  // Anthropic's own libraries take the address without it, people write it with it.
  if (settings.base_url.ends_with(kVersionPath)) {
    settings.base_url.resize(settings.base_url.size() - kVersionPath.size());
  }
  settings.api_key = std::move(server->api_key);
  settings.messages.model = std::move(server->model);
  settings.messages.temperature = spec.temperature;
  // The half of what it reads and writes in all is the least that is left for reading.
  const unsigned room = spec.context_tokens ? *spec.context_tokens / 2 : kMaxTokens;
  settings.messages.max_tokens = spec.max_tokens.value_or(std::max(1u, std::min(room, kMaxTokens)));
  settings.messages.owner = {"anthropic", settings.base_url};
  return settings;
}

}  // namespace braidlog::provider
