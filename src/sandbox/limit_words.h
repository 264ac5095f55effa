// The limits of code as it is told of them, in one place for the server and for the runner inside.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/limits.h"

namespace braidlog::sandbox {

std::string bytes_in_words(std::size_t bytes);                // "512 MiB", "1000 bytes"
std::string time_in_words(std::chrono::milliseconds amount);  // "30 s", "1500 ms"

struct LimitWords {
  explicit LimitWords(const Limits& limits);

  std::string time;       // "time limit of 30 s"
  std::string memory;     // "memory limit of 512 MiB"
  std::string output;     // "output limit of 64 KiB"
  std::string disk;       // "disk limit of 64 MiB and 4096 files"
  std::string files;      // "limit of 64 open files"
  std::string threads;    // "limit of 16 threads"
  std::string code;       // "code limit of 256 KiB"
  std::string sandboxes;  // "limit of 8 sandboxes"
};

}  // namespace braidlog::sandbox
