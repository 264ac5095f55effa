// Time comes in through here, so that tests and the simulator own it. Wall time is for what people and
// clients see, monotonic time for everything that is measured or waited for: the wall clock may step.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace braidlog {

// Milliseconds since the Unix epoch, UTC.
struct WallTime {
  std::int64_t ms = 0;
  auto operator<=>(const WallTime&) const = default;
};

// Milliseconds since some fixed point of this process; never steps back.
struct MonoTime {
  std::int64_t ms = 0;
  auto operator<=>(const MonoTime&) const = default;
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime wall() const = 0;
  virtual MonoTime mono() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime wall() const override;
  MonoTime mono() const override;
};

// "2026-02-14T21:03:00.123Z". Appends; the year is four digits for every time that fits.
void append_iso8601(std::string& out, WallTime time);
std::string to_iso8601(WallTime time);

}  // namespace braidlog
