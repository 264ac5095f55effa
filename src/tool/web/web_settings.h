// What the operator says about the web: which search engine answers.
#pragma once

#include <optional>
#include <string>

#include "base/environment.h"
#include "base/result.h"

namespace braidlog::tool {

enum class SearchKind { kSearxng, kBrave };

struct SearchSettings {
  SearchKind kind = SearchKind::kSearxng;
  std::string url;      // of the service, without a path of its own
  std::string api_key;  // Brave's
};

// BRAIDLOG_SEARXNG_URL, else BRAVE_API_KEY (with BRAIDLOG_BRAVE_URL where it is not Brave itself that is asked); none
// when neither is set. kBadField names a variable that is no address.
Result<std::optional<SearchSettings>> search_settings(const Environment& environment);

}  // namespace braidlog::tool
