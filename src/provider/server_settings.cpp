#include "provider/server_settings.h"

#include <algorithm>
#include <utility>

#include "wire/url.h"

namespace braidlog::provider {

namespace {

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

}  // namespace

bool environment_names(const ServerDefaults& defaults, const Environment& environment) {
  return environment(defaults.key_variable) || environment(defaults.url_variable);
}

Result<ServerSettings> server_settings(const ServerDefaults& defaults, const api::ModelSpec& spec,
                                       const Environment& environment) {
  ServerSettings settings;
  const auto url_of_environment = environment(defaults.url_variable);
  settings.base_url = !spec.base_url.empty() ? spec.base_url : url_of_environment.value_or(defaults.url);
  if (!is_base_url(settings.base_url)) {
    const std::string who = spec.base_url.empty() ? defaults.url_variable : "'base_url'";
    return fail(ErrorCode::kBadField, who + " " + std::string(kBaseUrlRule));
  }
  while (settings.base_url.ends_with('/')) settings.base_url.pop_back();
  settings.model = !spec.name.empty() ? spec.name : environment(defaults.model_variable).value_or(defaults.model);

  // Servers of one's own often want no key; the provider's does.
  const bool is_own_server = !spec.base_url.empty() || url_of_environment;
  std::string variable = spec.api_key_env;
  if (variable.empty() && spec.base_url.empty()) variable = defaults.key_variable;
  const bool may_be_absent = spec.api_key_env.empty() && is_own_server;
  if (variable.empty() || (may_be_absent && !environment(variable))) return settings;
  auto key = read_key(variable, environment);
  if (!key) return fail(std::move(key.error()));
  settings.api_key = std::move(*key);
  return settings;
}

}  // namespace braidlog::provider
