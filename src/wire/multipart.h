// multipart/form-data (RFC 7578) over a complete body. Strict: what two parsers could read differently is refused.
//
//   body := [CRLF] part+ "--" boundary "--" [CRLF]
//   part := "--" boundary CRLF ( header CRLF )* CRLF content CRLF
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braidlog {

struct MultipartPart {
  std::string name;                     // of the form field
  std::optional<std::string> filename;  // a label from the client, never a path: no part of it may reach a file system
  std::string content_type;             // as sent; empty when there was none
  std::string_view content;             // into the body
};

inline constexpr std::size_t kPartHeaderBytesMax = 8 * 1024;

// kMalformed: no or a bad boundary, a body that is never closed, more than `parts_max` parts, headers of a part over
// kPartHeaderBytesMax, no name, names that are not UTF-8 or hold control characters, a transfer encoding.
// The parts' contents point into `body`.
Result<std::vector<MultipartPart>> parse_multipart(std::string_view content_type, std::string_view body,
                                                   std::size_t parts_max);

}  // namespace braidlog
