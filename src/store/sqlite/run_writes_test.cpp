// Appends that only add events are taken several at a time, between writes of every other kind: whatever stands in a
// commit, each has the outcome that it would have had alone, in this order.

#include "store/sqlite/run_writes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "store/testing/full_disk.h"
#include "store/testing/sqlite_place.h"

namespace braidlog::store {
namespace {

using testing::LiveRunView;

class RunWritesTest : public testing::RunStoreFixture {
 protected:
  void use(std::unique_ptr<SqlitePlace> place) {
    folder_ = place->folder();
    open_place(std::move(place));
  }
  SqliteRunStore& store() { return static_cast<SqliteRunStore&>(*store_); }

  void add(Write write, std::optional<ErrorCode> refused = {}) {
    writes_.push_back(std::move(write));
    expected_.push_back(refused);
  }
  void add_run() {
    api::Session session = a_session();
    NewRun write = a_run(session.id);
    write.new_session = session;
    live_[write.run.id] = {.id = write.run.id, .session_id = session.id, .last = {1}, .records = write.records};
    add(write);
  }
  void add_append(LiveRunView& run, Append write) {
    run.last.value += write.record_count;
    run.records += write.records;
    add(std::move(write));
  }
  void add_end(const LiveRunView& run) {
    add(an_end(run));
    ended_.push_back(run);
    live_.erase(run.id);
    add(an_append(ended_.back()), ErrorCode::kInvalidState);
  }
  // The disk may be full, unless the log has room left from before: then nothing of it has happened.
  bool is_refused_by_a_full_disk() {
    const FullDisk full(std::filesystem::file_size(folder_ / "braidlog.db-wal"));
    const auto outcomes = commit(writes_);
    const auto is_refused = [](const auto& one) { return !one && one.error().code == ErrorCode::kStorage; };
    const auto count = std::ranges::count_if(outcomes, is_refused);
    EXPECT_TRUE(count == 0 || count == std::ssize(outcomes));
    if (count == 0) check(outcomes);
    return count > 0;
  }
  void commit_all() { check(commit(writes_)); }
  void check(const std::vector<Result<WriteOutcome>>& outcomes) {
    writes_.clear();
    ASSERT_EQ(outcomes.size(), expected_.size());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      expected_[i] ? expect_error(outcomes[i], *expected_[i]) : expect_ok(outcomes[i]);
    }
    expected_.clear();
  }
  void expect_the_same_after_a_restart() {
    reopen();
    const auto claimed = store_->claim_runs("next");
    ASSERT_TRUE(claimed);
    ASSERT_EQ(claimed->size(), live_.size());
    for (const ClaimedRun& one : *claimed) {
      LiveRunView& run = live_.at(one.run.id);
      EXPECT_EQ(one.run.last, run.last);
      EXPECT_EQ(one.records, run.records);
      run.epoch = one.epoch;
    }
  }

  // Commits of everything that can stand in one, some of which the disk refuses at first.
  void write_at_random(unsigned seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::size_t count) { return random() % count; };
    for (int round = 0; round < 120; ++round) {
      for (std::size_t i = 1 + pick(60); i > 0; --i) {
        if (live_.size() < 5 || pick(20) == 0) add_run();
        LiveRunView& run = std::next(live_.begin(), static_cast<std::ptrdiff_t>(pick(live_.size())))->second;
        Append write = an_append(run, std::string(pick(400), 'x'));
        switch (pick(12)) {
          case 0: write.follows = run.last.next(), add(write, ErrorCode::kFenced); break;
          case 1: write.epoch = run.epoch + 1, add(write, ErrorCode::kFenced); break;
          case 2: write.run_id = id<RunId>(), add(write, ErrorCode::kRunNotFound); break;
          case 3: write.effects.touch().messages = {a_message(run.id, "said")}, add_append(run, write); break;
          case 4: write.effects.touch().usage = Usage{.output_tokens = run.last.value}, add_append(run, write); break;
          case 5: add_end(run); break;
          default: add_append(run, write); break;
        }
      }
      if (pick(20) == 0) add(ExpireRuns{.ended_before = now(), .count_max = 2});
      const bool is_committed = pick(4) == 0 && !is_refused_by_a_full_disk();
      if (!is_committed) commit_all();
      if (pick(10) == 0) (void)store_->tidy();
      if (round % 20 == 19) expect_the_same_after_a_restart();
    }
  }

  std::filesystem::path folder_;
  std::map<RunId, LiveRunView> live_;
  std::vector<LiveRunView> ended_;
  std::vector<Write> writes_;
  std::vector<std::optional<ErrorCode>> expected_;
};

TEST_F(RunWritesTest, AppendsAmongOtherWritesOfACommit) {
  use(std::make_unique<SqlitePlace>(64 * 1024));  // so that much is carried
  write_at_random(1);
  ASSERT_GT(ended_.size(), 50u);
  for (const LiveRunView& run : ended_) {
    const auto records = reader_->records(run.id);
    EXPECT_TRUE(records || records.error().code == ErrorCode::kGone);
  }
}

TEST_F(RunWritesTest, RunsThatAreOverHoldBackNothingWhateverHappenedToThem) {
  use(std::make_unique<SqlitePlace>());
  write_at_random(2);
  while (!live_.empty()) add_end(live_.begin()->second);
  commit_all();
  for (int i = 0; i < 80; ++i) {
    add_run();
    LiveRunView& run = live_.begin()->second;
    add_append(run, an_append(run, std::string(10'000, 'x')));
    commit_all();
    add_end(run);
    commit_all();
  }
  EXPECT_LT(store().journal_bytes(), 600'000u);
}

}  // namespace
}  // namespace braidlog::store
