// A search engine of the web: how it is asked, and what its answers mean. Pure; the request itself is web_search's.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http_client.h"
#include "tool/web/web_settings.h"

namespace braidlog::tool {

// All of it plain text and valid UTF-8.
struct SearchHit {
  std::string title;
  std::string url;
  std::string snippet;
};

// Immutable and thread-safe.
class SearchEngine {
 public:
  virtual ~SearchEngine() = default;
  // At most `count` hits are wanted.
  virtual OutgoingRequest request(std::string_view query, unsigned count) const = 0;
  // In the engine's order, at most `count`. kToolFailed when the body is not what this engine answers.
  virtual Result<std::vector<SearchHit>> hits(std::string_view body, unsigned count) const = 0;
  // What a status of 400 and more means, in words for the model and the operator.
  virtual std::string words_for_status(int status) const = 0;
};

std::unique_ptr<SearchEngine> make_search_engine(const SearchSettings& settings);

}  // namespace braidlog::tool
