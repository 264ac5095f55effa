#include "terminal/figures.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace braidlog::terminal {

namespace {

constexpr std::int64_t kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;

std::string with_tenth(std::uint64_t value, std::uint64_t unit) {
  return std::to_string(value / unit) + "." + std::to_string(value % unit * 10 / unit);
}

}  // namespace

std::string age_text(std::int64_t ms) {
  if (ms < kSecond) return "now";
  if (ms < kMinute) return std::to_string(ms / kSecond) + "s";
  if (ms < kHour) return std::to_string(ms / kMinute) + "m";
  if (ms < kDay) return std::to_string(ms / kHour) + "h";
  return std::to_string(ms / kDay) + "d";
}

std::string duration_text(std::int64_t ms) {
  ms = std::max<std::int64_t>(ms, 0);
  if (ms < kSecond) return std::to_string(ms) + " ms";
  if (ms < kMinute) return with_tenth(static_cast<std::uint64_t>(ms), kSecond) + " s";
  if (ms < kHour) return std::to_string(ms / kMinute) + " m " + std::to_string(ms % kMinute / kSecond) + " s";
  return std::to_string(ms / kHour) + " h " + std::to_string(ms % kHour / kMinute) + " m";
}

std::string count_text(std::uint64_t count) {
  if (count < 10'000) return std::to_string(count);
  if (count < 1'000'000) return with_tenth(count, 1000) + "k";
  return with_tenth(count, 1'000'000) + "M";
}

std::optional<WallTime> parse_time(std::string_view text) {
  const std::string copy(text);
  int year = 0, hour = 0, minute = 0, second = 0;
  unsigned month = 0, day = 0;
  if (std::sscanf(copy.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second) != 6) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  const auto seconds = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                       std::chrono::minutes(minute) + std::chrono::seconds(second);
  int fraction = 0;
  if (const auto dot = copy.find('.'); dot != std::string::npos) std::sscanf(copy.c_str() + dot, ".%3d", &fraction);
  return WallTime{std::chrono::duration_cast<std::chrono::milliseconds>(seconds).count() + fraction};
}

std::string_view text_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view{};
}

std::optional<std::int64_t> number_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  json::error_code error;
  const auto number = value->to_number<std::int64_t>(error);
  return error ? std::nullopt : std::optional(number);
}

bool flag_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

const json::object* object_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_object();
}

const json::array* array_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_array();
}

std::optional<std::uint64_t> tokens_of(const json::object* usage) {
  if (usage == nullptr) return std::nullopt;
  const auto in = number_of(*usage, "input_tokens"), out = number_of(*usage, "output_tokens");
  if (!in && !out) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, in.value_or(0) + out.value_or(0)));
}

}  // namespace braidlog::terminal
