// Opening files below a folder so that no name can lead out of it. The kernel resolves each path with
// openat2(2) (RESOLVE_BENEATH, no symbolic link, no magic link), so there is no moment between a check and a
// use.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace braidlog::store {

// A file descriptor with one owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// Deeper paths are refused, so that walking a workspace needs a bounded number of descriptors.
inline constexpr std::size_t kPathPartsMax = 32;

// The parts of a path below a workspace. kInvalidPath: empty, absolute, longer than `bytes_max`, not UTF-8,
// with a control character, or with a part that is empty, ".", ".." or over 255 bytes; or of too many parts.
Result<std::vector<std::string>> split_path(std::string_view path, std::size_t bytes_max);

// True for a name that a path may have as a part.
bool is_plain_name(std::string_view name);

// openat2() below `folder`. The descriptor is not open and errno is set when it fails.
Descriptor open_beneath(int folder, const char* path, int flags);

// The Error for errno, after a path could not be resolved or a file not be used.
Error file_error(int number);

}  // namespace braidlog::store
