#include "wire/http_head.h"

#include <strings.h>

#include <charconv>

namespace bench {

namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// The value when `line` is this field, without the white space before it.
std::optional<std::string_view> field(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return std::nullopt;
  if (::strncasecmp(line.data(), name.data(), name.size()) != 0) return std::nullopt;
  line.remove_prefix(name.size() + 1);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  return line;
}

}  // namespace

std::optional<HttpHead> parse_head(std::string_view bytes) {
  const std::size_t end = bytes.find(kHeadEnd);
  if (end == std::string_view::npos) return std::nullopt;
  HttpHead head;
  head.head_bytes = end + kHeadEnd.size();
  std::string_view rest = bytes.substr(0, end);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find(kLineEnd));
    rest.remove_prefix(line.size() == rest.size() ? rest.size() : line.size() + kLineEnd.size());
    if (head.first_line.empty()) {
      head.first_line = line;
    } else if (const auto length = field(line, "content-length")) {
      std::from_chars(length->data(), length->data() + length->size(), head.body_bytes);
    } else if (const auto coding = field(line, "transfer-encoding")) {
      head.chunked = *coding == "chunked";
    }
  }
  return head;
}

}  // namespace bench
