// HTTP messages as values: what the net layer makes of bytes, and what it makes bytes of. No sockets here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace braidlog {

enum class Method { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };
std::string_view name_of(Method method);

struct HttpHeader {
  std::string name;
  std::string value;
};

// Case-insensitive comparison of ASCII names.
bool equals_ignoring_case(std::string_view a, std::string_view b);

// The head was checked by the parser: at most one Host (exactly one in HTTP/1.1), no smuggling forms, no control
// characters, a target of valid UTF-8. Values of headers may hold any byte from 0x80 up: check them for UTF-8 before
// they are stored.
struct HttpRequest {
  RequestId id;      // given when its first byte came, so that an answer can name it; nil where there was no request
  std::string peer;  // the address that the connection came from
  Method method = Method::kGet;
  std::string target;                                      // as sent: path and query, percent-encoded
  std::string path;                                        // the encoded path alone
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
  bool query_is_valid = true;                              // false: a broken escape, or not UTF-8
  std::vector<HttpHeader> headers;
  std::string body;

  // The value of the first header of that name, or none.
  std::optional<std::string_view> header(std::string_view name) const;
  // The first query parameter of that name, or none.
  std::optional<std::string_view> parameter(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::vector<HttpHeader> headers;  // Content-Length, Date and Connection are the net layer's
  std::string body;

  static HttpResponse json(int status, std::string body);
  static HttpResponse empty(int status);
  void set(std::string_view name, std::string value) { headers.push_back({std::string(name), std::move(value)}); }
};

std::string_view reason_phrase(int status);

// %XX decoded, '+' kept. None for a broken escape, NUL, or a result that is not UTF-8.
std::optional<std::string> percent_decode(std::string_view text);
// As in a form: '+' is a space.
std::optional<std::string> form_decode(std::string_view text);
// Everything but letters, digits and "-._~" as %XX: it then is data in any part of a URL.
std::string percent_encode(std::string_view text);

// Fills path, query and query_is_valid from target.
void split_target(HttpRequest& request);

}  // namespace braidlog
