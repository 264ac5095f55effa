#include "net/plain_request.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/version.h"

namespace braidlog {

namespace {

constexpr std::string_view kScheme = "http://";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A name whose last label is a number is an address in disguise ("127.1", "0x7f.1").
bool is_name(std::string_view host) {
  if (host.empty() || host.size() > 253 || host.front() == '.' || host.back() == '.') return false;
  if (!std::all_of(host.begin(), host.end(),
                   [](char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.'; })) {
    return false;
  }
  return !is_digit(host[host.rfind('.') + 1]) && host.find("..") == std::string_view::npos;
}

bool is_address(int family, std::string_view host) {
  in6_addr ignored{};
  return host.find('\0') == std::string_view::npos && ::inet_pton(family, std::string(host).c_str(), &ignored) == 1;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  if (text.empty() || text.size() > 5 || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  unsigned value = 0;
  for (const char c : text) value = value * 10 + static_cast<unsigned>(c - '0');
  if (value == 0 || value > 65'535) return std::nullopt;
  return static_cast<std::uint16_t>(value);
}

// Takes "host", "host:port" or "[address]:port" apart.
bool read_authority(std::string_view text, PlainRequest& out) {
  std::string_view host;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return false;
    host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (!is_address(AF_INET6, host)) return false;
  } else {
    host = text.substr(0, text.find(':'));
    text.remove_prefix(host.size());
    if (!is_name(host) && !is_address(AF_INET, host)) return false;
  }
  out.host = host;
  if (text.empty()) return true;
  const auto port = parse_port(text.substr(1));
  if (text.front() != ':' || !port) return false;
  out.port = *port;
  return true;
}

// What may stand in a path and a query as it is.
bool is_sent_as_it_is(std::string_view target) {
  const auto path = target.substr(0, target.find('?'));
  if (path.find("/.") != std::string_view::npos) return false;
  return std::all_of(target.begin(), target.end(), [](char c) {
    return is_digit(c) || is_letter(c) || std::string_view("-._~%!$&'()*+,;=:@/?").find(c) != std::string_view::npos;
  });
}

bool is_of_the_connection(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "TE", "Trailer", "Expect"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view known) { return equals_ignoring_case(name, known); });
}

bool names(const OutgoingRequest& request, std::string_view header) {
  return std::any_of(request.headers.begin(), request.headers.end(),
                     [&](const HttpHeader& each) { return equals_ignoring_case(each.name, header); });
}

void append_line(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

// As libcurl does it: what the request names replaces what is sent by itself, and what has no value is not sent.
std::string make_head(const OutgoingRequest& request, std::string_view target, std::string_view origin,
                      std::size_t body_bytes) {
  std::string head;
  head.reserve(512);
  head.append(name_of(request.method)).append(" ");
  if (!target.starts_with('/')) head += '/';
  head.append(target).append(" HTTP/1.1\r\n");
  append_line(head, "Host", origin);
  if (!names(request, "User-Agent")) append_line(head, "User-Agent", std::string("braidlog/").append(kVersion));
  if (!names(request, "Accept")) append_line(head, "Accept", "*/*");
  for (const auto& header : request.headers) {
    if (!header.value.empty()) append_line(head, header.name, header.value);
  }
  const bool has_body = request.method != Method::kGet && (request.method != Method::kHead || body_bytes > 0);
  if (has_body) append_line(head, "Content-Length", std::to_string(body_bytes));
  return head.append("\r\n");
}

}  // namespace

std::optional<PlainRequest> PlainRequest::of(OutgoingRequest& request) {
  std::string_view url = request.url;
  if (request.rules != nullptr || request.method == Method::kOther || !url.starts_with(kScheme)) return std::nullopt;
  if (std::any_of(request.headers.begin(), request.headers.end(),
                  [](const HttpHeader& header) { return is_of_the_connection(header.name); })) {
    return std::nullopt;
  }
  url = url.substr(kScheme.size());
  url = url.substr(0, url.find('#'));  // never sent
  const auto authority = url.substr(0, url.find_first_of("/?"));
  const auto target = url.substr(authority.size());
  PlainRequest out;
  if (!read_authority(authority, out) || !is_sent_as_it_is(target)) return std::nullopt;
  out.origin = authority;
  if (out.port == 80 && authority.ends_with(":80")) out.origin.resize(out.origin.size() - 3);
  out.is_for_head = request.method == Method::kHead;
  if (request.method != Method::kGet) out.body = std::move(request.body);
  out.head = make_head(request, target, out.origin, out.body.size());
  return out;
}

}  // namespace braidlog
