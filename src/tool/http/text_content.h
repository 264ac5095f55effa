// What the bytes of an answer are, by its Content-Type, and their text as UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace braidlog::tool {

struct MediaType {
  std::string type;     // "text/html", in lower case; empty: not stated, or no media type
  std::string charset;  // in lower case; empty: not stated

  static MediaType parse(std::string_view content_type);
  bool is_json() const;  // application/json and all that is written in it (…+json)
  bool is_text() const;  // anything that people can read as it is
};

// `bytes` as UTF-8, without a byte order mark. UTF-8, ASCII and Latin-1 (which means Windows-1252) are known; with no
// charset stated it is UTF-8 if it can be, else Windows-1252. What a charset that is not known leaves unreadable
// becomes U+FFFD. A character that the end of `bytes` cuts off is dropped.
std::string to_utf8(std::string_view bytes, std::string_view charset);

}  // namespace braidlog::tool
