#include "store/sqlite/writer_rests.h"

#include <gtest/gtest.h>

namespace braidlog::store {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// How often a writer rests in a second whose transactions take 1 ms each, with `pause` between them.
int rests_in_a_second(microseconds pause) {
  WriterRests rests;
  WriterRests::Time now{std::chrono::hours(1)};
  const auto end = now + std::chrono::seconds(1);
  int count = 0;
  while (now < end) {
    const auto rest = rests.next(now);
    count += rest > rest.zero() ? 1 : 0;
    now += rest + milliseconds(1);
    rests.note_end(now);
    now += pause;
  }
  return count;
}

TEST(WriterRests, WorkWithoutAPauseIsInterruptedTenTimesASecond) {
  EXPECT_EQ(rests_in_a_second(microseconds(0)), 9);
  EXPECT_EQ(rests_in_a_second(microseconds(900)), 9) << "too short to be met in";
}

TEST(WriterRests, WhoWaitsForWorkAnywayNeverRests) {
  EXPECT_EQ(rests_in_a_second(WriterRests::kRest), 0);
}

}  // namespace
}  // namespace braidlog::store
