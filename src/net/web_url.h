// An address of the web as libcurl itself reads it: whoever judges a URL before it is asked for must not understand it
// otherwise than the client that then connects.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace braidlog {

class WebUrl {
 public:
  // An absolute http or https URL without a user or a password. kBadField with words that follow "url: ".
  static Result<WebUrl> parse(std::string_view text);
  // Where a link or a redirect on this page leads.
  Result<WebUrl> resolve(std::string_view reference) const;

  const std::string& text() const { return text_; }
  const std::string& host() const { return host_; }  // in lower case; an IPv6 address in its brackets

 private:
  WebUrl(std::string text, std::string host) : text_(std::move(text)), host_(std::move(host)) {}
  static Result<WebUrl> read(std::string_view base, std::string_view text);

  std::string text_, host_;
};

}  // namespace braidlog
