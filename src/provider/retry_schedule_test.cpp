#include "provider/retry_schedule.h"

#include <gtest/gtest.h>

#include "provider/testing/fake_http.h"

namespace braidlog::provider {
namespace {

using std::chrono::milliseconds;
using testing::FakeHead;

constexpr WallTime kNow{1'771'102'980'000};  // 2026-02-14T21:03:00Z

RetryAdvice advice(int status, std::map<std::string, std::string> headers = {}) {
  return retry_advice(FakeHead(status, std::move(headers)), kNow);
}

TEST(RetrySchedule, StatusesThatMayPass) {
  for (const int status : {408, 409, 429, 500, 502, 503, 504, 529}) EXPECT_TRUE(advice(status).may_retry) << status;
  for (const int status : {301, 400, 401, 402, 403, 404, 413, 422}) EXPECT_FALSE(advice(status).may_retry) << status;
}

TEST(RetrySchedule, TheServersOwnWordWins) {
  EXPECT_TRUE(advice(400, {{"x-should-retry", "true"}}).may_retry);
  EXPECT_FALSE(advice(503, {{"x-should-retry", "false"}}).may_retry);
  EXPECT_TRUE(advice(503, {{"x-should-retry", "perhaps"}}).may_retry);
}

TEST(RetrySchedule, WhenToComeBack) {
  EXPECT_EQ(advice(429).after, std::nullopt);
  EXPECT_EQ(advice(429, {{"retry-after-ms", "250"}, {"retry-after", "9"}}).after, milliseconds(250));
  EXPECT_EQ(advice(429, {{"retry-after-ms", "soon"}, {"retry-after", "9"}}).after, milliseconds(9'000));
  EXPECT_EQ(advice(429, {{"retry-after", "1.5"}}).after, milliseconds(1'500));
  EXPECT_EQ(advice(429, {{"retry-after", "Sat, 14 Feb 2026 21:03:07 GMT"}}).after, milliseconds(7'000));
  EXPECT_EQ(advice(429, {{"retry-after", "Sat, 14 Feb 2026 21:02:00 GMT"}}).after, milliseconds(0));
  for (const char* nonsense : {"", "-1", "soon", "1s", "nan", "inf", "Sat, 14 Feb 2026", "9 9"}) {
    EXPECT_EQ(advice(429, {{"retry-after", nonsense}}).after, std::nullopt) << nonsense;
  }
  EXPECT_GT(*advice(429, {{"retry-after", "99999999999999999999"}}).after, kRetryAfterMax);
}

TEST(RetrySchedule, DelaysDoubleUpToACapAndAreSpread) {
  const int expected[] = {500, 1'000, 2'000, 4'000, 8'000, 8'000, 8'000};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(retry_delay(i, 0), milliseconds(expected[i]));
    EXPECT_EQ(retry_delay(i, 1), milliseconds(expected[i] * 3 / 4));
  }
  EXPECT_EQ(retry_delay(1'000'000, 0), milliseconds(8'000));
}

}  // namespace
}  // namespace braidlog::provider
