// Unsigned LEB128: seven bits a byte, the lowest first, the high bit set on all but the last. At most ten bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace braidlog {

inline constexpr std::size_t kVarintBytesMax = 10;

// How many bytes it takes.
constexpr std::size_t varint_bytes(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// Writes at most kVarintBytesMax bytes; returns the end.
inline char* write_varint(char* at, std::uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

inline void put_varint(std::string& out, std::uint64_t value) {
  if (value < 0x80) {
    out += static_cast<char>(value);
    return;
  }
  std::array<char, kVarintBytesMax> bytes;
  out.append(bytes.data(), write_varint(bytes.data(), value));
}

}  // namespace braidlog
