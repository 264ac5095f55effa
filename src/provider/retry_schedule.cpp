#include "provider/retry_schedule.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

namespace braidlog::provider {

namespace {

using std::chrono::milliseconds;

constexpr double kFirstDelayMs = 500;
constexpr double kDelayMsMax = 8'000;
constexpr double kJitterShare = 0.25;
constexpr double kMillisecondsMax = 1e12;  // far beyond every time that is waited for

// A plain number, not negative.
std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0) return {};
  return value;
}

milliseconds to_milliseconds(double value) {
  return milliseconds(static_cast<std::int64_t>(std::min(value, kMillisecondsMax)));
}

std::optional<WallTime> parse_http_date(std::string_view text) {
  const std::string copy(text);
  std::tm time{};
  const char* end = ::strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &time);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return WallTime{static_cast<std::int64_t>(::timegm(&time)) * 1000};
}

}  // namespace

bool may_retry_status(int status) {
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

std::optional<milliseconds> parse_retry_after(std::string_view text, WallTime now) {
  if (const auto seconds = parse_number(text)) return to_milliseconds(*seconds * 1000);
  const auto date = parse_http_date(text);
  if (!date) return std::nullopt;
  return milliseconds(std::max<std::int64_t>(0, date->ms - now.ms));
}

RetryAdvice retry_advice(const ResponseHead& head, WallTime now) {
  RetryAdvice advice{may_retry_status(head.status()), std::nullopt};
  const auto order = head.header("x-should-retry");
  if (order == "true") advice.may_retry = true;
  if (order == "false") advice.may_retry = false;
  if (const auto ms = parse_number(head.header("retry-after-ms"))) {
    advice.after = to_milliseconds(*ms);
  } else {
    advice.after = parse_retry_after(head.header("retry-after"), now);
  }
  return advice;
}

milliseconds retry_delay(std::size_t retries_done, double jitter) {
  const double full = std::min(kDelayMsMax, kFirstDelayMs * std::exp2(static_cast<double>(retries_done)));
  return to_milliseconds(full * (1 - kJitterShare * std::clamp(jitter, 0.0, 1.0)));
}

}  // namespace braidlog::provider
