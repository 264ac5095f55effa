// Durations as people write them in files and on the command line: a whole number and one unit, "500ms", "90s",
// "30m", "1h", "7d".
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace braidlog {

// None for anything else: no unit, a sign, a fraction, more than ten years.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace braidlog
