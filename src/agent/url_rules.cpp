#include "agent/url_rules.h"

#include <algorithm>

namespace braidlog::agent {

namespace {

constexpr std::size_t kUrlBytesMax = 2'000;

tl::unexpected<Error> broken(std::string what) {
  return fail(ErrorCode::kBadField, std::move(what));
}

// The host and port of an address; empty when it has none.
std::string_view authority_of(std::string_view url) {
  const auto start = url.find("://");
  if (start == std::string_view::npos) return {};
  url.remove_prefix(start + 3);
  return url.substr(0, url.find_first_of("/?#"));
}

bool is_authority(std::string_view text) {
  std::string_view host = text;
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return false;
    host = text.substr(0, end + 1);
    port = text.substr(end + 1);
    if (host.size() < 4 || host.substr(1, end - 1).find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos) {
      return false;
    }
  } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon);
  }
  if (host.empty()) return false;
  if (port.empty()) return true;
  port.remove_prefix(1);
  return !port.empty() && port.size() <= 5 && std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; }) &&
         text[text.size() - port.size() - 1] == ':';
}

}  // namespace

Status check_request_url(std::string_view url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) return broken("must begin with http:// or https://");
  if (url.size() > kUrlBytesMax) return broken("is longer than 2000 characters");
  if (!std::ranges::all_of(url, [](unsigned char c) { return c > ' ' && c < 0x7f && c != '\\' && c != '"'; })) {
    return broken("must be in ASCII, without spaces; write other characters percent-encoded");
  }
  const auto authority = authority_of(url);
  if (authority.find('@') != std::string_view::npos) return broken("must not hold a user or a password");
  if (!is_authority(authority)) return broken("must have a host, and at most a port, as in https://host:port/path");
  if (url.find('#') != std::string_view::npos) return broken("must not have a fragment ('#')");
  return {};
}

Result<UrlTemplate> read_url_template(std::string_view url) {
  if (url.find("${") != std::string_view::npos) {
    return broken("must not hold a '${…}': put secrets into 'headers'");
  }
  const auto authority = authority_of(url);
  if (url.substr(0, url.find("://")).find('{') != std::string_view::npos ||
      authority.find_first_of("{}") != std::string_view::npos) {
    return broken("must not have a {place} in its scheme, host or port");
  }
  UrlTemplate places;
  std::string plain;  // with something in every place
  bool in_query = false;
  for (std::size_t i = 0; i < url.size(); ++i) {
    if (url[i] == '}') return broken("has a '}' without its '{'");
    if (url[i] == '?') in_query = true;
    if (url[i] != '{') {
      plain += url[i];
      continue;
    }
    const auto end = url.find_first_of("{}", i + 1);
    if (end == std::string_view::npos || url[end] == '{') return broken("has a '{' without its '}'");
    const std::string name(url.substr(i + 1, end - i - 1));
    if (name.empty()) return broken("has a {} without a name in it");
    (in_query ? places.query_places : places.path_places).push_back(name);
    plain += 'x';
    i = end;
  }
  if (auto good = check_request_url(plain); !good) return fail(std::move(good.error()));
  return places;
}

}  // namespace braidlog::agent
