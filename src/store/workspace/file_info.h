#pragma once

#include <sys/stat.h>

#include <string>
#include <utility>

#include "api/file.h"

namespace braidlog::store {

inline api::FileInfo file_info(std::string path, const struct stat& info) {
  return {.path = std::move(path),
          .size = static_cast<std::uint64_t>(info.st_size),
          .updated_at = {static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1000 + info.st_mtim.tv_nsec / 1'000'000}};
}

}  // namespace braidlog::store
