#include "tool/web/web_search.h"

#include <utility>

#include "base/utf8.h"
#include "tool/call.h"
#include "tool/http/response_collector.h"

namespace braidlog::tool {

namespace {

constexpr unsigned kCountDefault = 5;

ToolSpec search_spec() {
  ToolSpec spec;
  spec.name = "web_search";
  spec.description =
      "Searches the web and gives a list of pages, each with title, url and snippet. Read a page with web_fetch.";
  spec.parameters_json =
      R"({"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":400,)"
      R"("description":"What to look for"},)"
      R"("count":{"type":"integer","minimum":1,"maximum":20,"description":"Pages at most; 5 when absent"}},)"
      R"("required":["query"],"additionalProperties":false})";
  spec.writes = false;
  return spec;
}

ToolOutcome failure(std::string words) {
  return ToolOutcome::error(ToolStatus::kToolError, std::move(words));
}

ToolOutcome outcome_of(const CollectedResponse& response, const SearchEngine& engine, unsigned count) {
  if (response.end != CallEnd::kComplete) return failure(words_for(response.end, "the search engine"));
  // A redirect means that the operator's address is not the engine's.
  if (response.status >= 300) return failure(engine.words_for_status(response.status));
  const auto hits = engine.hits(to_valid_utf8(response.body), count);
  if (!hits) return failure(hits.error().message);
  json::array list;
  for (const auto& hit : *hits) {
    list.push_back(json::object{{"title", hit.title}, {"url", hit.url}, {"snippet", hit.snippet}});
  }
  return ToolOutcome::ok(std::move(list));
}

class SearchRun final : public ToolRun {
 public:
  SearchRun(HttpClient& client, OutgoingRequest request, std::size_t bytes_max, ResponseCollector::Done done)
      : collector_(client, std::move(request), bytes_max, std::move(done)) {}

 private:
  ResponseCollector collector_;
};

}  // namespace

WebSearch::WebSearch(std::shared_ptr<const SearchEngine> engine, HttpClients& clients, const Limits& limits)
    : SchemaTool(search_spec()),
      engine_(std::move(engine)),
      clients_(clients),
      response_bytes_max_(limits.web_page_bytes_max) {}

std::unique_ptr<ToolRun> WebSearch::start(ToolInvocation invocation, Loop& loop,
                                          UniqueFunction<void(ToolOutcome)> done) {
  const std::string query = string_argument(invocation.args, "query");
  if (is_blank(query)) {
    return answer_later(loop, ToolOutcome::error(ToolStatus::kInvalidArguments, "query: must not be blank"),
                        std::move(done));
  }
  const auto* wanted = invocation.args.get_object().if_contains("count");
  boost::system::error_code none;
  const unsigned count = wanted != nullptr ? wanted->to_number<unsigned>(none) : kCountDefault;
  return std::make_unique<SearchRun>(
      clients_.on(loop), engine_->request(query, count), response_bytes_max_,
      [engine = engine_, count, done = std::move(done)](CollectedResponse response) mutable {
        done(outcome_of(response, *engine, count));
      });
}

}  // namespace braidlog::tool
