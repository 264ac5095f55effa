// When a model is asked again: as the SDKs of OpenAI and Anthropic do it, which is what their servers expect.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "net/http_client.h"

namespace braidlog::provider {

// A server that wants more time than this is not waited for.
inline constexpr std::chrono::milliseconds kRetryAfterMax{60'000};

// 408, 409, 429 and 500 upwards: another time the same request may be answered.
bool may_retry_status(int status);

struct RetryAdvice {
  bool may_retry = false;
  std::optional<std::chrono::milliseconds> after;
};
// What the head of a refusal says: x-should-retry, else the status; retry-after-ms, else retry-after.
RetryAdvice retry_advice(const ResponseHead& head, WallTime now);

// Retry-After: seconds, a fraction too, or an HTTP date. None when it is neither.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view text, WallTime now);

// Where the server named no time: half a second, doubled with each retry, eight seconds at most, less up to a quarter.
// `jitter` is from 0 to 1; `retries_done` counts from 0.
std::chrono::milliseconds retry_delay(std::size_t retries_done, double jitter);

}  // namespace braidlog::provider
