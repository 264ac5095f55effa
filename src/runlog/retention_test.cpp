#include "runlog/retention.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"
#include "port/testing/empty_store.h"
#include "runlog/testing/inline_store.h"

namespace braidlog {
namespace {

// Has so many runs that are due, and remembers what it was asked.
class AgingStore final : public testing::EmptyStore {
 public:
  std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) override {
    asked.push_back(std::get<ExpireRuns>(writes[0]));
    if (refuses) return {fail(ErrorCode::kStorage, "no")};
    const auto expired = std::min(due, asked.back().count_max);
    due -= expired;
    return {WriteOutcome{.expired = expired}};
  }

  std::vector<ExpireRuns> asked;
  std::uint32_t due = 0;
  bool refuses = false;
};

class RetentionTest : public ::testing::Test {
 protected:
  void advance(std::chrono::milliseconds time) {
    loop_.advance(time);
    loop_.run_ready();
  }

  testing::FakeClock clock_;
  testing::FakeLoop loop_{clock_};
  AgingStore store_;
  testing::InlineStore access_{store_, loop_};
  Retention retention_{loop_, access_, std::chrono::hours(1)};
};

TEST_F(RetentionTest, AsksForWhatEndedLongEnoughAgo) {
  retention_.begin();
  loop_.run_ready();
  ASSERT_EQ(store_.asked.size(), 1u);
  EXPECT_EQ(store_.asked[0].ended_before.ms, clock_.wall().ms - 3'600'000);
  advance(std::chrono::minutes(1));
  ASSERT_EQ(store_.asked.size(), 2u) << "it looks again";
  EXPECT_EQ(store_.asked[1].ended_before.ms, clock_.wall().ms - 3'600'000);
}

TEST_F(RetentionTest, ABacklogGoesInSmallPiecesOneAfterTheOther) {
  store_.due = 1'050;
  retention_.begin();
  loop_.run_ready();
  EXPECT_GT(store_.due, 900u);
  advance(std::chrono::seconds(1));
  EXPECT_EQ(store_.due, 0u);
}

TEST_F(RetentionTest, AClockThatWasJustSetIsNotBelievedAtOnce) {
  retention_.begin();
  loop_.run_ready();
  clock_.step_wall(std::chrono::hours(24 * 365));
  advance(std::chrono::minutes(1));
  EXPECT_EQ(store_.asked.size(), 1u);
  clock_.step_wall(std::chrono::hours(-24 * 365));
  advance(std::chrono::minutes(1));
  EXPECT_EQ(store_.asked.size(), 1u);
  advance(std::chrono::minutes(1));
  EXPECT_EQ(store_.asked.size(), 2u);
}

TEST_F(RetentionTest, AStoreThatRefusesIsAskedAgain) {
  store_.refuses = true;
  store_.due = 1;
  retention_.begin();
  loop_.run_ready();
  store_.refuses = false;
  advance(std::chrono::minutes(1));
  EXPECT_EQ(store_.due, 0u);
}

}  // namespace
}  // namespace braidlog
