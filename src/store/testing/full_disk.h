#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>

namespace braidlog::store {

// While it lives no file can be written past `bytes`. That stands for a full disk: the write fails in the kernel, with
// the same words.
class FullDisk {
 public:
  explicit FullDisk(std::uint64_t bytes) {
    before_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit full{.rlim_cur = bytes, .rlim_max = limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    ::signal(SIGXFSZ, before_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit limit_{};
  void (*before_)(int) = nullptr;
};

}  // namespace braidlog::store
