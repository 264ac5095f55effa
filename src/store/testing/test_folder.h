// A folder for one test, deleted with it. In memory where the system has such a place: the tests are about what is
// written, not about how long a disk takes to sync it.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/check.h"

namespace braidlog::store {

class TestFolder {
 public:
  TestFolder() {
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = ::access(memory.c_str(), W_OK) == 0;
    std::string name = (usable ? memory : std::filesystem::temp_directory_path()) / "braidlog-XXXXXX";
    BRAIDLOG_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace braidlog::store
