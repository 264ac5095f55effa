// Bytes of a pipe to lines, bounded: a line over the limit is skipped to its end, and only its two ends are kept, so
// that whoever waits for it can be told.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace braidlog::tool::mcp {

class LineReader {
 public:
  explicit LineReader(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Calls on_line(std::string_view) for each line, without its end, and on_oversize(head, tail) for one that was too
  // long. Lines that are empty or white space are not told.
  template <class OnLine, class OnOversize>
  void feed(std::string_view bytes, OnLine&& on_line, OnOversize&& on_oversize) {
    while (!bytes.empty()) {
      const auto end = bytes.find('\n');
      if (end == std::string_view::npos) return keep(bytes);
      const auto piece = bytes.substr(0, end);
      bytes.remove_prefix(end + 1);
      if (line_.empty() && !skipping_ && piece.size() <= bytes_max_) {
        if (!is_blank(piece)) on_line(piece);
        continue;
      }
      keep(piece);
      // Taken first: what is called may feed nothing, but it may take long to let go.
      const std::string line = std::exchange(line_, {});
      if (std::exchange(skipping_, false)) {
        on_oversize(std::string_view(std::exchange(head_, {})), std::string_view(line));
      } else if (!is_blank(line)) {
        on_line(std::string_view(line));
      }
    }
  }

 private:
  static constexpr std::size_t kEndBytes = 256;

  static bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

  void keep(std::string_view piece) {
    line_ += piece;
    if (!skipping_ && line_.size() > bytes_max_) {
      skipping_ = true;
      head_ = line_.substr(0, kEndBytes);
    }
    if (skipping_ && line_.size() > kEndBytes) {
      line_.erase(0, line_.size() - kEndBytes);
      line_.shrink_to_fit();
    }
  }

  std::size_t bytes_max_;
  std::string line_;  // of a line whose end has not come; its last bytes when it is skipped
  std::string head_;
  bool skipping_ = false;
};

}  // namespace braidlog::tool::mcp
