#include "tool/web/web_fetch.h"

#include <optional>
#include <utility>

#include "net/web_url.h"
#include "tool/call.h"
#include "tool/http/response_collector.h"
#include "tool/web/web_page.h"

namespace braidlog::tool {

namespace {

constexpr std::size_t kCharactersDefault = 20'000;

ToolSpec fetch_spec() {
  ToolSpec spec;
  spec.name = "web_fetch";
  spec.description =
      "Reads a page of the web (HTML, text, JSON or PDF) and gives its title, its address after redirects and its "
      "text.";
  spec.parameters_json = R"({"type":"object","properties":{"url":{"type":"string","minLength":1,"maxLength":4096,)"
                         R"("description":"The address, beginning with http:// or https://"},)"
                         R"("max_characters":{"type":"integer","minimum":100,"maximum":200000,)"
                         R"("description":"How much of the text is wanted; 20000 when absent"}},)"
                         R"("required":["url"],"additionalProperties":false})";
  spec.writes = false;
  return spec;
}

bool is_redirect(const CollectedResponse& response) {
  const int status = response.status;
  return (status == 301 || status == 302 || status == 303 || status == 307 || status == 308) &&
         !response.location.empty();
}

// Runs on: the loop of its run.
class FetchRun final : public ToolRun {
 public:
  FetchRun(const WebFetchContext& context, std::size_t characters_max, Loop& loop,
           UniqueFunction<void(ToolOutcome)> done)
      : context_(context), characters_max_(characters_max), loop_(loop), done_(std::move(done)) {}

  void ask(WebUrl url) {
    url_.emplace(std::move(url));
    OutgoingRequest request;
    request.method = Method::kGet;
    request.url = url_->text();
    request.headers = {
        {"Accept", "text/html, application/xhtml+xml, application/pdf, application/json, text/*;q=0.9, */*;q=0.1"}};
    request.rules = context_.rules;
    collector_ =
        std::make_unique<ResponseCollector>(context_.clients.on(loop_), std::move(request), context_.page_bytes_max,
                                            [this](CollectedResponse response) { take(std::move(response)); });
  }

 private:
  void take(CollectedResponse response) {
    if (response.end != CallEnd::kComplete) return fail_with(words_for(response.end, url_->host()));
    if (is_redirect(response)) return follow(response.location);
    auto page = page_of(std::move(response), url_->text());
    if (!page) return fail_with(page.error().message);
    page_ = std::move(*page);
    if (page_.extract_type.empty()) return finish(page_outcome(page_, std::move(page_.content), characters_max_));
    extract();
  }

  void follow(const std::string& location) {
    if (redirects_++ == context_.redirects_max) {
      return fail_with("the page redirects more than " + std::to_string(context_.redirects_max) + " times");
    }
    auto next = url_->resolve(location);
    if (!next) return fail_with("the page redirects to an address that " + next.error().message);
    ask(std::move(*next));
  }

  void extract() {
    if (context_.extractor == nullptr || !context_.extractor->reads(page_.extract_type)) {
      return fail_with("this server has nothing to read pages of the type " + page_.extract_type + " with");
    }
    extraction_ =
        context_.extractor->start({std::move(page_.content), page_.extract_type, context_.extraction_time_max}, loop_,
                                  [this](Result<ExtractedText> text) { take_text(std::move(text)); });
  }

  void take_text(Result<ExtractedText> text) {
    if (!text) {
      const bool is_page = text.error().code == ErrorCode::kBadFile;
      return fail_with((is_page ? "the page " : "") + text.error().message);
    }
    if (!text->left_out.empty()) page_.left_out += (page_.left_out.empty() ? "" : " ") + text->left_out;
    finish(page_outcome(page_, std::move(text->text), characters_max_));
  }

  void fail_with(std::string words) { finish(ToolOutcome::error(ToolStatus::kToolError, std::move(words))); }

  // `done` may destroy this.
  void finish(ToolOutcome outcome) {
    auto done = std::move(done_);
    done(std::move(outcome));
  }

  const WebFetchContext context_;
  const std::size_t characters_max_;
  Loop& loop_;
  UniqueFunction<void(ToolOutcome)> done_;
  std::optional<WebUrl> url_;
  std::size_t redirects_ = 0;
  WebPage page_;
  std::unique_ptr<ResponseCollector> collector_;
  std::unique_ptr<Extraction> extraction_;
};

}  // namespace

WebFetch::WebFetch(WebFetchContext context) : SchemaTool(fetch_spec()), context_(std::move(context)) {}

std::unique_ptr<ToolRun> WebFetch::start(ToolInvocation invocation, Loop& loop,
                                         UniqueFunction<void(ToolOutcome)> done) {
  auto url = WebUrl::parse(string_argument(invocation.args, "url"));
  if (!url) {
    return answer_later(loop, ToolOutcome::error(ToolStatus::kInvalidArguments, "url: " + url.error().message),
                        std::move(done));
  }
  const auto* wanted = invocation.args.get_object().if_contains("max_characters");
  boost::system::error_code none;
  const std::size_t characters = wanted != nullptr ? wanted->to_number<std::size_t>(none) : kCharactersDefault;
  auto run = std::make_unique<FetchRun>(context_, characters, loop, std::move(done));
  run->ask(std::move(*url));
  return run;
}

}  // namespace braidlog::tool
