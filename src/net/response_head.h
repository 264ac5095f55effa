// The head of a response as bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "wire/http.h"

namespace braidlog {

enum class BodyFraming { kLength, kChunked, kUntilClose };
enum class ConnectionHeader { kNone, kClose, kKeepAlive };

struct ResponseFraming {
  BodyFraming body = BodyFraming::kLength;
  ConnectionHeader connection = ConnectionHeader::kNone;
};

// Appends status line, headers and the blank line. Content-Length (of response.body; none for 204 and 304), Date,
// Connection and Transfer-Encoding are written from `framing`; such headers of the response itself are left out.
// Control characters in values become spaces, so that no text of a client can split the response.
void append_response_head(std::string& out, const HttpResponse& response, ResponseFraming framing,
                          std::string_view date);

// Whether a response of this status has a body at all.
bool has_body(int status);

// "Sun, 06 Nov 1994 08:49:37 GMT", made anew once a second.
class HttpDate {
 public:
  std::string_view text(WallTime now);

 private:
  std::int64_t second_ = -1;
  std::string text_;
};

}  // namespace braidlog
