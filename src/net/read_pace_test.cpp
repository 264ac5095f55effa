#include "net/read_pace.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Time = ReadPace::Time;

// Pieces come `per_ms` a millisecond, and are looked for when the pace says so, or when the next one comes.
struct Outcome {
  int looks = 0;
  milliseconds longest_wait{0};
};
Outcome look_for(ReadPace& pace, int per_ms, milliseconds time, Time begin) {
  const microseconds gap = microseconds(1000) / per_ms;
  Outcome outcome;
  Time now = begin, next_piece = begin;
  while (now < begin + time) {
    int count = 0;
    const Time oldest = next_piece;
    for (; next_piece <= now; next_piece += gap) ++count;
    ++outcome.looks;
    outcome.longest_wait = std::max(outcome.longest_wait, std::chrono::duration_cast<milliseconds>(now - oldest));
    pace.note(now, count);
    now = pace.is_busy() ? pace.due() : next_piece;
  }
  return outcome;
}

TEST(ReadPace, FewPiecesAreTakenAsTheyCome) {
  ReadPace pace;
  const auto outcome = look_for(pace, 10, milliseconds(100), Time(milliseconds(1'000)));
  EXPECT_GE(outcome.looks, 990);
  EXPECT_EQ(outcome.longest_wait.count(), 0);
}

TEST(ReadPace, VeryManyAreTakenTogetherAndNoneWaitsLong) {
  ReadPace pace;
  const auto outcome = look_for(pace, 50, milliseconds(1'000), Time(milliseconds(1'000)));
  EXPECT_LE(outcome.looks, 1'000 / ReadPace::kDistance.count() + 50 * ReadPace::kWindow.count() + 10);
  EXPECT_LE(outcome.longest_wait, ReadPace::kDistance);
}

TEST(ReadPace, ItIsQuickAgainWhenTheCrowdHasGone) {
  ReadPace pace;
  const Time begin(milliseconds(1'000));
  (void)look_for(pace, 50, milliseconds(100), begin);
  const Time later = begin + milliseconds(150);
  pace.note(later, 1);
  EXPECT_LE(pace.due() - later, ReadPace::kDistance);
  const auto outcome = look_for(pace, 5, milliseconds(100), later + milliseconds(20));
  EXPECT_GE(outcome.looks, 480);
}

TEST(ReadPace, WhoIsLateLooksAtOnce) {
  ReadPace pace;
  Time now(milliseconds(1'000));
  (void)look_for(pace, 50, milliseconds(100), now);
  now += milliseconds(100);
  for (int i = 0; i < 3; ++i) {
    now += 3 * ReadPace::kDistance;  // it took that long to handle them
    pace.note(now, 500);
    EXPECT_TRUE(pace.is_busy());
    EXPECT_EQ(pace.due(), now);
  }
}

// A look that found more than it can take is followed by another at once.
TEST(ReadPace, ALookInBetweenDoesNotMoveTheNextOne) {
  ReadPace pace;
  Time now(milliseconds(1'000));
  (void)look_for(pace, 50, milliseconds(100), now);
  now = pace.due();
  pace.note(now, 50);
  const Time due = pace.due();
  EXPECT_GT(due, now);
  for (int i = 1; i < 4; ++i) {
    pace.note(now + i * microseconds(100), 50);
    EXPECT_EQ(pace.due(), due);
  }
}

}  // namespace
}  // namespace braidlog
