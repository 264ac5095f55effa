#include "tool/web/search_engine.h"

#include "base/json.h"
#include "base/utf8.h"
#include "tool/http/http_answer.h"
#include "tool/web/html_text.h"
#include "wire/http.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kSnippetBytesMax = 1'000;
constexpr std::size_t kTitleBytesMax = 300;

tl::unexpected<Error> no_answer() {
  return fail(ErrorCode::kToolFailed, "the search engine answered something that cannot be read");
}

std::string field(const json::object& hit, std::string_view name) {
  const auto* value = hit.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string plain(const std::string& html, std::size_t bytes_max) {
  return std::string(utf8_prefix(html_to_line(html), bytes_max));
}

// Hits without an address that can be fetched are none.
std::vector<SearchHit> hits_of(const json::array& list, std::string_view snippet_name, unsigned count) {
  std::vector<SearchHit> out;
  for (const auto& item : list) {
    if (out.size() == count) break;
    const auto* hit = item.if_object();
    if (hit == nullptr) continue;
    const std::string url = field(*hit, "url");
    if (!url.starts_with("http://") && !url.starts_with("https://")) continue;
    out.push_back(
        {plain(field(*hit, "title"), kTitleBytesMax), url, plain(field(*hit, snippet_name), kSnippetBytesMax)});
  }
  return out;
}

// https://docs.searxng.org/dev/search_api.html
class Searxng final : public SearchEngine {
 public:
  explicit Searxng(std::string url) : url_(std::move(url)) {}

  OutgoingRequest request(std::string_view query, unsigned) const override {
    OutgoingRequest out;
    out.method = Method::kGet;
    out.url = url_ + "/search?q=" + percent_encode(query) + "&format=json";
    out.headers = {{"Accept", "application/json"}};
    return out;
  }

  Result<std::vector<SearchHit>> hits(std::string_view body, unsigned count) const override {
    const auto document = parse_json(body);
    const auto* object = document ? document->if_object() : nullptr;
    const auto* results = object != nullptr ? object->if_contains("results") : nullptr;
    if (results == nullptr || !results->is_array()) return no_answer();
    return hits_of(results->get_array(), "content", count);
  }

  std::string words_for_status(int status) const override {
    if (status == 403) {
      return "the search engine answered 403 Forbidden: its settings must allow the format json (search.formats)";
    }
    if (status == 429) return "the search engine takes no more questions for now; ask again later";
    return "the search engine answered " + status_words(status);
  }

 private:
  const std::string url_;
};

// https://api-dashboard.search.brave.com/app/documentation/web-search
class Brave final : public SearchEngine {
 public:
  Brave(std::string url, std::string api_key) : url_(std::move(url)), api_key_(std::move(api_key)) {}

  OutgoingRequest request(std::string_view query, unsigned count) const override {
    OutgoingRequest out;
    out.method = Method::kGet;
    out.url = url_ + "/res/v1/web/search?q=" + percent_encode(query) + "&count=" + std::to_string(count);
    out.headers = {{"Accept", "application/json"}, {"X-Subscription-Token", api_key_}};
    return out;
  }

  Result<std::vector<SearchHit>> hits(std::string_view body, unsigned count) const override {
    const auto document = parse_json(body);
    const auto* object = document ? document->if_object() : nullptr;
    if (object == nullptr) return no_answer();
    // Where nothing was found there is no "web".
    const auto* web = object->if_contains("web");
    if (web == nullptr) return object->contains("query") ? Result<std::vector<SearchHit>>{} : no_answer();
    const auto* results = web->is_object() ? web->get_object().if_contains("results") : nullptr;
    if (results == nullptr || !results->is_array()) return no_answer();
    return hits_of(results->get_array(), "description", count);
  }

  std::string words_for_status(int status) const override {
    if (status == 401 || status == 403 || status == 422) {
      return "the search engine answered " + status_words(status) + ": BRAVE_API_KEY may not be a key of it";
    }
    if (status == 429) return "the search engine takes no more questions for now; ask again later";
    return "the search engine answered " + status_words(status);
  }

 private:
  const std::string url_, api_key_;
};

}  // namespace

std::unique_ptr<SearchEngine> make_search_engine(const SearchSettings& settings) {
  if (settings.kind == SearchKind::kBrave) return std::make_unique<Brave>(settings.url, settings.api_key);
  return std::make_unique<Searxng>(settings.url);
}

}  // namespace braidlog::tool
