// Durations as people write them in agent files: a whole number and one unit, "500ms", "90s", "30m", "1h".
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace braidlog::agent {

// None for anything else: no unit, a sign, a fraction, more than 365 days.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace braidlog::agent
