#include "provider/openai/openai_settings.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "wire/url.h"

namespace braidlog::provider {

namespace {

constexpr const char* kKeyVariable = "OPENAI_API_KEY";
constexpr const char* kUrlVariable = "OPENAI_BASE_URL";
constexpr const char* kModelVariable = "OPENAI_MODEL";
constexpr std::string_view kOpenAiUrl = "https://api.openai.com/v1";
constexpr std::string_view kDefaultModel = "gpt-4o-mini";

bool is_fit_for_a_header(std::string_view key) {
  return std::ranges::all_of(key, [](unsigned char c) { return c > ' ' && c < 0x7f; });
}

Result<std::string> read_key(const std::string& variable, const Environment& environment) {
  auto key = environment(variable);
  if (!key) return fail(ErrorCode::kBadField, "the environment variable " + variable + " (the key) is not set");
  if (!is_fit_for_a_header(*key)) {
    return fail(ErrorCode::kBadField, "the environment variable " + variable + " holds a space or a line end");
  }
  return std::move(*key);
}

Status find_server(OpenAiSettings& settings, const api::ModelSpec& spec, const Environment& environment) {
  const auto url_of_environment = environment(kUrlVariable);
  settings.base_url = !spec.base_url.empty() ? spec.base_url : url_of_environment.value_or(std::string(kOpenAiUrl));
  if (!is_base_url(settings.base_url)) {
    const std::string who = spec.base_url.empty() ? kUrlVariable : "'base_url'";
    return fail(ErrorCode::kBadField, who + " " + std::string(kBaseUrlRule));
  }
  while (settings.base_url.ends_with('/')) settings.base_url.pop_back();

  // Servers of one's own often want no key; OpenAI does.
  const bool is_own_server = !spec.base_url.empty() || url_of_environment;
  std::string variable = spec.api_key_env;
  if (variable.empty() && spec.base_url.empty()) variable = kKeyVariable;
  const bool may_be_absent = spec.api_key_env.empty() && is_own_server;
  if (variable.empty() || (may_be_absent && !environment(variable))) return {};
  auto key = read_key(variable, environment);
  if (!key) return fail(std::move(key.error()));
  settings.api_key = std::move(*key);
  return {};
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

bool environment_names_openai(const Environment& environment) {
  return environment(kKeyVariable) || environment(kUrlVariable);
}

Result<OpenAiSettings> openai_settings(const api::ModelSpec& spec, const Environment& environment) {
  OpenAiSettings settings;
  if (auto found = find_server(settings, spec, environment); !found) return fail(std::move(found.error()));
  settings.chat.model = spec.name;
  if (settings.chat.model.empty()) {
    settings.chat.model = environment(kModelVariable).value_or(std::string(kDefaultModel));
  }
  settings.chat.temperature = spec.temperature;
  settings.chat.max_tokens = spec.max_tokens;
  settings.chat.says_max_completion_tokens = settings.base_url == kOpenAiUrl;
  return settings;
}

}  // namespace braidlog::provider
