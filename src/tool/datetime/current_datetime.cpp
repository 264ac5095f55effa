#include "tool/datetime/current_datetime.h"

#include <array>
#include <string>
#include <utility>

#include "base/clock.h"
#include "tool/call.h"

namespace braidlog::tool {

namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kDayMs = 24 * 60 * kMinuteMs;
constexpr int kOffsetMinutesMax = 14 * 60;

ToolSpec datetime_spec() {
  ToolSpec spec;
  spec.name = "current_datetime";
  spec.description = "Tells the present date, time and weekday, in UTC or at an offset from it.";
  spec.parameters_json =
      R"({"type":"object","properties":{"timezone":{"type":"string","maxLength":6,)"
      R"("description":"Offset from UTC, such as +02:00; UTC when absent"}},"additionalProperties":false})";
  spec.writes = false;
  return spec;
}

const char* weekday_of(WallTime time) {
  static constexpr std::array<const char*, 7> kNames{"Thursday", "Friday",  "Saturday", "Sunday",
                                                     "Monday",   "Tuesday", "Wednesday"};  // 1970-01-01 first
  std::int64_t day = time.ms / kDayMs;
  if (time.ms % kDayMs < 0) --day;
  return kNames[static_cast<std::size_t>(((day % 7) + 7) % 7)];
}

// "2026-02-14T21:03:00": to the second, without a zone.
std::string to_seconds(WallTime time) {
  std::string text = to_iso8601(time);
  return text.substr(0, text.find('.'));
}

std::string offset_text(int minutes) {
  if (minutes == 0) return "Z";
  const int size = minutes < 0 ? -minutes : minutes;
  const auto two = [](int n) { return std::string(n < 10 ? "0" : "") + std::to_string(n); };
  return (minutes < 0 ? "-" : "+") + two(size / 60) + ":" + two(size % 60);
}

ToolOutcome tell_time(WallTime now, const std::string& timezone) {
  const auto offset = timezone.empty() ? std::optional<int>(0) : parse_utc_offset(timezone);
  if (!offset) {
    return ToolOutcome::error(ToolStatus::kInvalidArguments, "timezone: expected an offset such as +02:00 or UTC");
  }
  const WallTime local{now.ms + *offset * kMinuteMs};
  const std::string utc = to_seconds(now) + "Z";
  const std::string datetime = to_seconds(local) + offset_text(*offset);
  const std::string weekday = weekday_of(local);
  std::string text = datetime + ", " + weekday;
  if (*offset != 0) text += " (" + utc + ")";
  return {ToolStatus::kOk, json::object{{"datetime", datetime}, {"weekday", weekday}, {"utc", utc}}, std::move(text)};
}

}  // namespace

std::optional<int> parse_utc_offset(std::string_view text) {
  if (text == "UTC" || text == "utc" || text == "Z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  for (const std::size_t i : {1u, 2u, 4u, 5u}) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
  }
  const int hours = (text[1] - '0') * 10 + (text[2] - '0');
  const int minutes = (text[4] - '0') * 10 + (text[5] - '0');
  const int total = hours * 60 + minutes;
  if (minutes > 59 || total > kOffsetMinutesMax) return std::nullopt;
  return text[0] == '-' ? -total : total;
}

CurrentDatetime::CurrentDatetime() : SchemaTool(datetime_spec()) {}

std::unique_ptr<ToolRun> CurrentDatetime::start(ToolInvocation invocation, Loop& loop,
                                                UniqueFunction<void(ToolOutcome)> done) {
  return answer_later(loop, tell_time(loop.clock().wall(), string_argument(invocation.args, "timezone")),
                      std::move(done));
}

}  // namespace braidlog::tool
