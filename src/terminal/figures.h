// Times and counts as people read them, and the few fields of JSON that the commands ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"

namespace braidlog::terminal {

std::string age_text(std::int64_t ms);        // "now", "42s", "5m", "3h", "12d"
std::string duration_text(std::int64_t ms);   // "120 ms", "1.4 s", "2 m 5 s", "3 h 20 m"
std::string count_text(std::uint64_t count);  // "950", "12.3k", "4.1M"

// "2026-02-14T21:03:00Z", with or without a fraction.
std::optional<WallTime> parse_time(std::string_view text);

// Absent, null or of another type: empty, none, false.
std::string_view text_of(const json::object& object, std::string_view name);
std::optional<std::int64_t> number_of(const json::object& object, std::string_view name);
bool flag_of(const json::object& object, std::string_view name);
const json::object* object_of(const json::object& object, std::string_view name);
const json::array* array_of(const json::object& object, std::string_view name);

// Both kinds together; none when nothing was counted.
std::optional<std::uint64_t> tokens_of(const json::object* usage);

}  // namespace braidlog::terminal
