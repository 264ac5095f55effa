#include "tool/http/request_headers.h"

#include <algorithm>
#include <array>

namespace braidlog::tool {

namespace {

bool is_header_name(std::string_view name) {
  static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

// How a request is framed, and to whom it goes, is the client's to say.
bool is_of_the_connection(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kNames{
      "Host",    "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection", "Upgrade", "TE",
      "Trailer", "Expect",         "Idempotency-Key"};
  return std::ranges::any_of(kNames, [&](std::string_view other) { return equals_ignoring_case(name, other); });
}

bool breaks_the_line(std::string_view value) {
  return std::ranges::any_of(value, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

}  // namespace

Result<std::vector<HttpHeader>> request_headers(const std::map<std::string, std::string>& written, bool has_body,
                                                const Environment& environment, Secrets& secrets) {
  std::vector<HttpHeader> out;
  bool has_accept = false, has_type = false;
  for (const auto& [name, text] : written) {
    const auto bad = [&](const std::string& what) {
      return fail(ErrorCode::kBadField, "headers: " + name + ": " + what);
    };
    if (!is_header_name(name)) return fail(ErrorCode::kBadField, "headers: a name is not that of a header");
    if (is_of_the_connection(name)) return bad("is not yours to set");
    auto value = secrets.expand(text, environment);
    if (!value) return bad(value.error().message);
    if (breaks_the_line(*value)) return bad("the value has a line break or another control character");
    has_accept |= equals_ignoring_case(name, "Accept");
    has_type |= equals_ignoring_case(name, "Content-Type");
    out.push_back({name, std::move(*value)});
  }
  if (!has_accept) out.push_back({"Accept", "application/json, text/*;q=0.9, */*;q=0.1"});
  if (has_body && !has_type) out.push_back({"Content-Type", "application/json"});
  return out;
}

}  // namespace braidlog::tool
