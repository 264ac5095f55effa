// The checksum beside a finished run's records: 64 bits of XXH3, as the signed integer that SQLite keeps.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace braidlog::store {

inline std::int64_t checksum_of(std::string_view bytes) {
  return static_cast<std::int64_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

}  // namespace braidlog::store
