#include "agent/digest.h"

#include <cstdint>

namespace braidlog::agent {

std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 12; ++i) out += kHex[hash >> (60 - 4 * i) & 15];
  return out;
}

}  // namespace braidlog::agent
