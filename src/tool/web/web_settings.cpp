#include "tool/web/web_settings.h"

#include "wire/url.h"

namespace braidlog::tool {

namespace {

constexpr const char* kSearxngUrl = "BRAIDLOG_SEARXNG_URL";
constexpr const char* kBraveUrl = "BRAIDLOG_BRAVE_URL";
constexpr const char* kBraveKey = "BRAVE_API_KEY";
constexpr const char* kBraveUrlDefault = "https://api.search.brave.com";

Result<std::optional<SearchSettings>> checked(SearchSettings settings, const std::string& variable) {
  while (settings.url.ends_with('/')) settings.url.pop_back();
  if (!is_base_url(settings.url)) {
    return fail(ErrorCode::kBadField, variable + " " + std::string(kBaseUrlRule));
  }
  return settings;
}

}  // namespace

Result<std::optional<SearchSettings>> search_settings(const Environment& environment) {
  if (const auto url = environment(kSearxngUrl)) return checked({SearchKind::kSearxng, *url, ""}, kSearxngUrl);
  const auto key = environment(kBraveKey);
  if (!key) return std::nullopt;
  return checked({SearchKind::kBrave, environment(kBraveUrl).value_or(kBraveUrlDefault), *key}, kBraveUrl);
}

}  // namespace braidlog::tool
