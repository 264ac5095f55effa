#include "base/duration.h"

#include <charconv>
#include <cstdint>

namespace braidlog {

namespace {

constexpr std::int64_t kDurationMaxMs = 3650LL * 24 * 60 * 60 * 1000;

std::int64_t unit_ms(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1'000;
  if (unit == "m") return 60'000;
  if (unit == "h") return 3'600'000;
  if (unit == "d") return 86'400'000;
  return 0;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  std::int64_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  if (parsed.ec != std::errc()) return std::nullopt;
  const auto unit = unit_ms(text.substr(static_cast<std::size_t>(parsed.ptr - text.data())));
  if (unit == 0 || count > kDurationMaxMs / unit) return std::nullopt;
  return std::chrono::milliseconds(count * unit);
}

}  // namespace braidlog
