#include "net/web_url.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

#include "base/check.h"

namespace braidlog {

namespace {

struct Cleanup {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using UrlHandle = std::unique_ptr<CURLU, Cleanup>;

// Empty when the URL has no such part.
std::string part_of(const UrlHandle& url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, 0) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, &curl_free);
  return text;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

Result<WebUrl> WebUrl::parse(std::string_view text) {
  return read({}, text);
}

Result<WebUrl> WebUrl::resolve(std::string_view reference) const {
  return read(text_, reference);
}

Result<WebUrl> WebUrl::read(std::string_view base, std::string_view text) {
  const UrlHandle url(curl_url());
  BRAIDLOG_CHECK(url != nullptr);
  if (text.empty() || std::ranges::any_of(text, is_control)) return fail(ErrorCode::kBadField, "is not a URL");
  if (!base.empty()) curl_url_set(url.get(), CURLUPART_URL, std::string(base).c_str(), 0);
  // Spaces and letters beyond ASCII are common in links, and are encoded here.
  const auto code = curl_url_set(url.get(), CURLUPART_URL, std::string(text).c_str(), CURLU_URLENCODE);
  const std::string scheme = part_of(url, CURLUPART_SCHEME);
  if (code == CURLUE_UNSUPPORTED_SCHEME || (code == CURLUE_OK && scheme != "http" && scheme != "https")) {
    return fail(ErrorCode::kBadField, "must begin with http:// or https://");
  }
  if (code != CURLUE_OK) return fail(ErrorCode::kBadField, "is not an absolute URL such as https://example.com/page");
  if (!part_of(url, CURLUPART_USER).empty() || !part_of(url, CURLUPART_PASSWORD).empty()) {
    return fail(ErrorCode::kBadField, "must not hold a user name or a password");
  }
  std::string host = part_of(url, CURLUPART_HOST);
  if (host.empty()) return fail(ErrorCode::kBadField, "has no host");
  std::ranges::transform(host, host.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  curl_url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);  // never sent
  return WebUrl(part_of(url, CURLUPART_URL), std::move(host));
}

}  // namespace braidlog
