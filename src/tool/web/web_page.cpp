#include "tool/web/web_page.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "tool/http/http_answer.h"
#include "tool/http/text_content.h"
#include "tool/web/html_text.h"
#include "wire/http.h"

namespace braidlog::tool {

namespace {

constexpr const char* kHtmlType = "text/html";
constexpr const char* kPdfType = "application/pdf";

// Servers that state no type, or the one for "any bytes", mean what it looks like.
std::string sniffed(std::string_view body) {
  const auto first = body.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  body.remove_prefix(std::min(first, body.size()));
  if (body.starts_with("%PDF-")) return kPdfType;
  const auto begins = [&](std::string_view what) { return equals_ignoring_case(body.substr(0, what.size()), what); };
  if (begins("<!doctype html") || begins("<html")) return kHtmlType;
  return body.find('\0') == std::string_view::npos && is_valid_utf8(body) ? "text/plain" : "";
}

tl::unexpected<Error> failed(std::string words) {
  return fail(ErrorCode::kToolFailed, std::move(words));
}

// The first `count` characters of valid UTF-8.
std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size()) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80 && count-- == 0) break;
    ++at;
  }
  return text.substr(0, at);
}

}  // namespace

Result<WebPage> page_of(CollectedResponse response, std::string url) {
  if (response.status < 200 || response.status >= 300)
    return failed("the server answered " + status_words(response.status));
  if (!response.content_encoding.empty() && !equals_ignoring_case(response.content_encoding, "identity")) {
    return failed("the page came compressed, although that was not asked for, and cannot be read");
  }
  MediaType type = MediaType::parse(response.content_type);
  if (type.type.empty() || type.type == "application/octet-stream") type.type = sniffed(response.body);
  WebPage page{.title = {}, .url = std::move(url), .content = {}, .extract_type = {}, .left_out = {}};
  const std::string size = std::to_string(response.body.size()) + " bytes";

  if (type.type == kPdfType) {
    if (response.is_cut) return failed("the PDF is larger than the " + size + " that this server takes");
    page.content = std::move(response.body);
    page.extract_type = kPdfType;
    return page;
  }
  if (response.is_cut) page.left_out = "Only the first " + size + " of the page were read.";
  if (type.type == kHtmlType || type.type == "application/xhtml+xml") {
    if (type.charset.empty()) type.charset = html_charset(response.body);
    page.content = to_utf8(response.body, type.charset);
    page.title = html_title(page.content);
    // Whatever the page says of itself: it is UTF-8 now.
    page.extract_type = std::string(kHtmlType) + "; charset=utf-8";
    return page;
  }
  if (!type.is_text()) {
    return failed((type.type.empty() ? "the answer is not text" : "the answer is of the type " + type.type) +
                  "; only web pages, text, JSON and PDF can be read");
  }
  page.content = to_utf8(response.body, type.charset);
  return page;
}

ToolOutcome page_outcome(const WebPage& page, std::string text, std::size_t characters_max) {
  const std::size_t characters = count_code_points(text);
  if (characters > characters_max) {
    text = std::string(first_characters(text, characters_max)) + "\n[cut: the first " + std::to_string(characters_max) +
           " of " + std::to_string(characters) + " characters]";
  }
  json::object out{{"title", page.title}, {"url", page.url}, {"text", std::move(text)}};
  if (!page.left_out.empty()) out["note"] = page.left_out;
  return ToolOutcome::ok(std::move(out));
}

}  // namespace braidlog::tool
