// Cuts a stream into frames at the empty lines. It is the client's only work per event, so a frame is looked at where
// it lies; only one that is cut by the end of a read is copied.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace bench {

class FrameSplitter {
 public:
  // Calls `on_frame` with every frame that is complete now, its empty line included.
  template <typename OnFrame>
  void feed(std::string_view bytes, OnFrame&& on_frame) {
    if (!cut_.empty()) finish_cut_frame(bytes, on_frame);
    while (const std::size_t size = frame_size(bytes)) {
      on_frame(bytes.substr(0, size));
      bytes.remove_prefix(size);
    }
    cut_.append(bytes);
  }

  void clear() { cut_.clear(); }

 private:
  template <typename OnFrame>
  void finish_cut_frame(std::string_view& bytes, OnFrame&& on_frame) {
    // The two line ends themselves may lie on both sides of the cut.
    const bool cut_in_the_end = cut_.back() == '\n' && bytes.starts_with('\n');
    const std::size_t size = cut_in_the_end ? 1 : frame_size(bytes);
    cut_.append(bytes.substr(0, size == 0 ? bytes.size() : size));
    bytes.remove_prefix(size == 0 ? bytes.size() : size);
    if (size == 0) return;
    on_frame(std::string_view(cut_));
    cut_.clear();
  }

  // How long the first frame is; 0 when its end is not here. memchr over the few lines of a frame is far faster than
  // memmem, which has no fast way for two bytes.
  static std::size_t frame_size(std::string_view bytes) {
    std::size_t from = 0;
    while (from < bytes.size()) {
      const void* found = std::memchr(bytes.data() + from, '\n', bytes.size() - from);
      if (found == nullptr) return 0;
      from = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) + 1;
      if (from < bytes.size() && bytes[from] == '\n') return from + 1;
    }
    return 0;
  }

  std::string cut_;
};

}  // namespace bench
