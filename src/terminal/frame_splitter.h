// A stream of server-sent events cut into its frames, each with the very bytes that came. Keepalives and other
// comments are left out. Only for our own server's streams, which end lines with LF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braidlog::terminal {

// Valid inside the sink only.
struct Frame {
  std::string_view bytes;  // with its blank line
  std::string_view id;     // empty: it has none
  std::string_view data;
};

Frame read_frame(std::string_view bytes);

class FrameSplitter {
 public:
  // Calls `sink` with each complete frame; a sink that returns false ends the reading, and the rest is dropped. False
  // when a frame is beyond all measure: nothing of our server's is.
  template <class Sink>
  bool feed(std::string_view bytes, Sink&& sink) {
    if (bytes_.size() + bytes.size() > kFrameBytesMax) return false;
    bytes_ += bytes;
    std::size_t from = 0;
    for (auto end = bytes_.find("\n\n", from); end != std::string::npos; end = bytes_.find("\n\n", from)) {
      const std::string_view frame = std::string_view(bytes_).substr(from, end + 2 - from);
      from = end + 2;
      if (!frame.starts_with(':') && !sink(read_frame(frame))) return bytes_.clear(), true;
    }
    bytes_.erase(0, from);
    return true;
  }
  // A new connection begins with a new frame.
  void reset() { bytes_.clear(); }

 private:
  static constexpr std::size_t kFrameBytesMax = 256 * 1024 * 1024;
  std::string bytes_;
};

}  // namespace braidlog::terminal
