// Finds the end of a request's head byte by byte, and refuses at the first byte that no honest client sends: a line
// end that is not CRLF, a control character, a folded header. Deciding this before the real parser sees anything
// means that a broken request is answered at once, and that no two parsers on the way can see different lines.
#pragma once

#include <cstddef>

namespace braidlog {

class HeadScanner {
 public:
  enum class Step {
    kMore,
    kLeadingLine,  // an empty line before the request line; RFC 9112 2.2 lets one pass
    kRequestLine,  // the request line is complete
    kEnd,          // the head is complete
    kBad,
  };
  Step take(char c);

 private:
  Step end_line();

  std::size_t line_bytes_ = 0;
  bool after_cr_ = false;
  bool in_headers_ = false;
  bool had_leading_line_ = false;
};

}  // namespace braidlog
