#include "net/head_scanner.h"

#include <utility>

namespace braidlog {

HeadScanner::Step HeadScanner::take(char c) {
  if (std::exchange(after_cr_, false)) return c == '\n' ? end_line() : Step::kBad;
  if (c == '\r') {
    after_cr_ = true;
    return Step::kMore;
  }
  const bool is_tab_in_value = c == '\t' && in_headers_;
  const auto byte = static_cast<unsigned char>(c);
  if ((byte < 0x20 && !is_tab_in_value) || byte == 0x7f) return Step::kBad;
  if (line_bytes_++ == 0 && (c == ' ' || c == '\t')) return Step::kBad;
  return Step::kMore;
}

HeadScanner::Step HeadScanner::end_line() {
  const bool is_empty = std::exchange(line_bytes_, 0) == 0;
  if (in_headers_) return is_empty ? Step::kEnd : Step::kMore;
  if (is_empty) return std::exchange(had_leading_line_, true) ? Step::kBad : Step::kLeadingLine;
  in_headers_ = true;
  return Step::kRequestLine;
}

}  // namespace braidlog
