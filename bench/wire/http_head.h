// The head of an HTTP/1.1 message, as far as the bench programs need it: where it ends and how long the body is.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace bench {

struct HttpHead {
  std::string_view first_line;
  std::size_t head_bytes = 0;  // with the empty line
  std::size_t body_bytes = 0;  // Content-Length, or 0
  bool chunked = false;
};

// Nothing as long as the empty line has not come. The views point into `bytes`.
std::optional<HttpHead> parse_head(std::string_view bytes);

}  // namespace bench
