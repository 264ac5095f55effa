#include "runlog/turn_pace.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(TurnPace, AFewAtOnceThenAMillisecondApart) {
  TurnPace pace;
  const TurnPace::Time start{std::chrono::hours(1)};
  for (int i = 0; i < TurnPace::kAtOnceMax; ++i) EXPECT_EQ(pace.next(start), start);
  TurnPace::Time now = start;
  for (int i = 1; i <= 50; ++i) {
    now = pace.next(now);
    EXPECT_EQ(now, start + milliseconds(i));
  }
}

TEST(TurnPace, WhoComesSeldomNeverWaits) {
  TurnPace pace;
  TurnPace::Time now{std::chrono::hours(1)};
  for (int i = 0; i < 100; ++i) {
    now += microseconds(i % 2 == 0 ? 1'900 : 100);
    EXPECT_EQ(pace.next(now), now);
  }
}

TEST(TurnPace, APauseAllowsAFewAgainAndNoMore) {
  TurnPace pace;
  TurnPace::Time now{std::chrono::hours(1)};
  for (int i = 0; i < 20; ++i) now = pace.next(now);
  now += std::chrono::hours(1);
  for (int i = 0; i < TurnPace::kAtOnceMax; ++i) EXPECT_EQ(pace.next(now), now);
  EXPECT_EQ(pace.next(now), now + milliseconds(1));
}

}  // namespace
}  // namespace braidlog
