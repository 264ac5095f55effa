#include "store/sqlite/live_runs.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"

namespace braidlog::store {
namespace {

class LiveRunsTest : public ::testing::Test {
 protected:
  RunId add(SessionId session, RunStatus status) {
    const auto id = ids_.make<RunId>();
    live_.put(id, {.session_id = session, .epoch = 1, .columns = {.status = status}});
    return id;
  }
  void set_status(RunId id, RunStatus status) {
    LiveRun run = *live_.find(id);
    run.columns.status = status;
    live_.put(id, std::move(run));
  }

  testing::FakeClock clock_;
  IdSource ids_{clock_, 1};
  LiveRuns live_;
  const SessionId session_ = ids_.make<SessionId>();
};

TEST_F(LiveRunsTest, TheTurnsOfASession) {
  EXPECT_FALSE(live_.turns_of(session_).at_work);
  const RunId working = add(session_, RunStatus::kRunning);
  const RunId first = add(session_, RunStatus::kQueued);
  const RunId second = add(session_, RunStatus::kQueued);
  add(ids_.make<SessionId>(), RunStatus::kRunning);

  auto turns = live_.turns_of(session_);
  EXPECT_EQ(turns.at_work, working);
  EXPECT_EQ(turns.first_waiting, first);
  EXPECT_EQ(turns.last_waiting, second);
  EXPECT_EQ(turns.waiting_count, 2u);

  live_.erase(working);
  set_status(first, RunStatus::kRunning);
  turns = live_.turns_of(session_);
  EXPECT_EQ(turns.at_work, first);
  EXPECT_EQ(turns.first_waiting, second);
  EXPECT_EQ(turns.waiting_count, 1u);

  live_.erase(first);
  live_.erase(second);
  turns = live_.turns_of(session_);
  EXPECT_FALSE(turns.at_work || turns.first_waiting || turns.last_waiting);
  EXPECT_EQ(turns.waiting_count, 0u);
}

TEST_F(LiveRunsTest, AFailedTransactionTakesTurnsBack) {
  const RunId working = add(session_, RunStatus::kRunning);
  const RunId waiting = add(session_, RunStatus::kQueued);
  live_.keep();
  live_.erase(working);
  set_status(waiting, RunStatus::kRunning);
  add(session_, RunStatus::kQueued);
  live_.undo();

  auto turns = live_.turns_of(session_);
  EXPECT_EQ(turns.at_work, working);
  EXPECT_EQ(turns.first_waiting, waiting);
  EXPECT_EQ(turns.waiting_count, 1u);

  live_.erase(working);
  live_.put(working, {.session_id = session_, .columns = {.status = RunStatus::kRunning}});
  live_.undo();
  EXPECT_EQ(live_.turns_of(session_).at_work, working);
  EXPECT_EQ(live_.turns_of(session_).waiting_count, 1u);
}

TEST_F(LiveRunsTest, AFailedTransactionTakesEventsBackWhateverElseCame) {
  const RunId id = add(session_, RunStatus::kRunning);
  live_.keep();
  live_.advance(*live_.find(id), 3);
  set_status(id, RunStatus::kWaitingApproval);
  live_.advance(*live_.find(id), 4);
  EXPECT_EQ(live_.find(id)->last, Sequence{7});
  live_.erase(id);
  live_.put(id, {.session_id = session_, .last = {1}});
  live_.advance(*live_.find(id), 1);
  for (int i = 0; i < 1'000; ++i) add(ids_.make<SessionId>(), RunStatus::kRunning);
  live_.undo();

  EXPECT_EQ(live_.find(id)->last, Sequence{});
  EXPECT_EQ(live_.find(id)->columns.status, RunStatus::kRunning);
  EXPECT_EQ(live_.turns_of(session_).at_work, id);
  EXPECT_EQ(std::distance(live_.begin(), live_.end()), 1);
  live_.undo();
  EXPECT_EQ(std::distance(live_.begin(), live_.end()), 1);
}

}  // namespace
}  // namespace braidlog::store
