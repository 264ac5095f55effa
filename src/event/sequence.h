// The position of an event in its run: the first event has sequence 1, each next one is one more. Zero is "before
// the first", the position of a reader who has seen nothing.
#pragma once

#include <compare>
#include <cstdint>

namespace braidlog {

struct Sequence {
  std::uint64_t value = 0;
  auto operator<=>(const Sequence&) const = default;
  Sequence next() const { return {value + 1}; }
};

}  // namespace braidlog
