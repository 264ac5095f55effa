#include "runlog/run_log.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "base/testing/fake_loop.h"
#include "event/encoding.h"
#include "port/testing/empty_store.h"
#include "runlog/testing/inline_store.h"

namespace braidlog {
namespace {

// Takes every write and remembers it; says what the test wants said.
class RecordingStore final : public testing::EmptyStore {
 public:
  std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) override {
    ++commits;
    std::vector<Result<WriteOutcome>> results;
    for (const auto& write : writes) {
      appends.push_back(std::get<Append>(write));
      if (refused_run == appends.back().run_id) {
        results.push_back(fail(ErrorCode::kFenced, "another owner has the run"));
      } else if (refusal) {
        results.push_back(fail(*refusal, "refused"));
      } else {
        results.emplace_back(WriteOutcome{});
      }
    }
    return results;
  }

  int commits = 0;
  std::vector<Append> appends;
  std::optional<ErrorCode> refusal;
  std::optional<RunId> refused_run;
};

RunEvent delta(std::uint64_t sequence, std::string text = "x") {
  return {{sequence}, {1000}, 5, TextDelta{1, 1, std::move(text)}};
}

std::string first_records() {
  std::string out;
  append_record(out, {{1}, {1000}, 0, RunQueued{}});
  append_record(out, {{2}, {1000}, 0, RunStarted{}});
  return out;
}

class RunLogTest : public ::testing::Test {
 protected:
  std::shared_ptr<RunRecords> open() { return *log_.open(id_, 1, first_records()); }
  void append(std::vector<RunEvent> events, RunStatus status = RunStatus::kRunning) {
    auto& run = log_.writer(id_);
    log_.effects(run).status = status;
    log_.append(run, events, [this](Status done) {
      ++done_;
      if (!done) error_ = done.error().code;
    });
  }
  static std::vector<std::uint64_t> read_all(Cursor& cursor) {
    std::vector<std::uint64_t> seen;
    while (const RunEvent* event = cursor.next()) seen.push_back(event->sequence.value);
    return seen;
  }

  testing::FakeClock clock_;
  testing::FakeLoop loop_{clock_};
  RecordingStore store_;
  testing::InlineStore access_{store_, loop_};
  RunLog log_{loop_, access_};
  RunId id_{Id128{{1}}};
  int done_ = 0;
  std::optional<ErrorCode> error_;
};

TEST_F(RunLogTest, NothingIsReadableBeforeItsCommit) {
  auto records = open();
  Cursor cursor(records);
  EXPECT_EQ(read_all(cursor), (std::vector<std::uint64_t>{1, 2}));
  access_.held = true;
  append({delta(3)});
  loop_.run_ready();
  EXPECT_EQ(cursor.next(), nullptr);
  EXPECT_EQ(done_, 0);
  access_.release();
  loop_.run_ready();
  EXPECT_EQ(read_all(cursor), (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(done_, 1);
}

TEST_F(RunLogTest, WhatComesInWhileACommitRunsGoesIntoTheNextOne) {
  open();
  append({delta(3)});
  append({delta(4)});
  loop_.run_one();  // the flush
  access_.held = true;
  for (std::uint64_t i = 5; i < 105; ++i) append({delta(i)});
  loop_.run_ready();
  EXPECT_EQ(access_.submits, 1);
  access_.release();
  loop_.run_ready();
  EXPECT_EQ(access_.submits, 2);
  ASSERT_EQ(store_.appends.size(), 2u);
  EXPECT_EQ(store_.appends[0].record_count, 2u);
  EXPECT_EQ(store_.appends[1].record_count, 100u);
  EXPECT_EQ(store_.appends[1].follows, (Sequence{4}));
  EXPECT_EQ(done_, 102);
}

// What several appends do to the tables is written at once: nothing of it may be lost on the way.
TEST_F(RunLogTest, EffectsOfSeveralAppendsAreOneWrite) {
  open();
  const TaskId task{Id128{{2}}};
  auto& run = log_.writer(id_);
  RunEffects& effects = log_.effects(run);
  effects.tasks = {{task, "Look", "", TaskStatus::kPending, 0}};
  effects.session_status = api::SessionStatus::kExecuting;
  log_.append(run, {delta(3)}, {});
  effects.task_changes = {{task, TaskStatus::kDone, "Seen", {}}};
  effects.artifacts.emplace_back();
  effects.session_status = api::SessionStatus::kCompleted;
  log_.append(run, {delta(4)}, {});
  loop_.run_ready();
  ASSERT_EQ(store_.appends.size(), 1u);
  const RunEffects& merged = *store_.appends[0].effects;
  ASSERT_TRUE(merged.tasks);
  EXPECT_EQ(merged.tasks->size(), 1u);
  EXPECT_EQ(merged.task_changes.size(), 1u);
  EXPECT_EQ(merged.artifacts.size(), 1u);
  EXPECT_EQ(merged.session_status, api::SessionStatus::kCompleted);
  EXPECT_FALSE(log_.effects(run).changes_items());  // the next commit begins anew
}

TEST_F(RunLogTest, TheTerminalEventSealsTheWholeRunAndClosesIt) {
  auto records = open();
  append({delta(3)});
  append({{{4}, {1000}, 5, RunCompleted{}}}, RunStatus::kCompleted);
  loop_.run_ready();
  ASSERT_TRUE(store_.appends.back().sealed.has_value());
  EXPECT_EQ(*store_.appends.back().sealed, records->whole());
  EXPECT_TRUE(records->ended());
  EXPECT_EQ(log_.find(id_), nullptr);
  Cursor late(records);
  EXPECT_EQ(read_all(late).size(), 4u);
  EXPECT_TRUE(late.at_end());
}

// The memory of an append is used again, and nothing else of it.
TEST_F(RunLogTest, AnAppendHasNothingOfTheOneInItsPlaceBefore) {
  open();
  append({delta(3), {{4}, {1000}, 5, RunCompleted{}}}, RunStatus::kCompleted);
  loop_.run_ready();
  const std::vector<RunId> others{RunId{Id128{{2}}}, RunId{Id128{{3}}}};
  for (const RunId id : others) ASSERT_TRUE(log_.open(id, 7, first_records()));
  for (const std::string text : {"a long text that fills the place of the one before", "short"}) {
    store_.appends.clear();
    for (const RunId id : others) {
      auto& run = log_.writer(id);
      log_.stays_at_work(run);
      log_.append(run, {delta(log_.find(id)->appended().value + 1, text)}, {});
    }
    loop_.run_ready();
    ASSERT_EQ(store_.appends.size(), 2u);
    for (const Append& append : store_.appends) {
      EXPECT_EQ(append.epoch, 7u);
      EXPECT_EQ(append.record_count, 1u);
      EXPECT_FALSE(append.sealed);
      EXPECT_FALSE(append.effects.is_touched());
      std::string expected;
      append_record(expected, delta(append.follows.value + 1, text));
      EXPECT_EQ(append.records, expected);
    }
  }
}

TEST_F(RunLogTest, AFencedAppendShowsNothingAndEverybodyWaitingHearsOfIt) {
  auto records = open();
  store_.refusal = ErrorCode::kFenced;
  append({delta(3)});
  loop_.run_one();
  append({delta(4)});
  loop_.run_ready();
  EXPECT_EQ(error_, ErrorCode::kFenced);
  EXPECT_EQ(done_, 2);
  EXPECT_EQ(records->committed(), (Sequence{2}));
  EXPECT_EQ(log_.find(id_), nullptr);
}

// Who hears of one run's commit may write to another run whose append was refused in the same commit.
TEST_F(RunLogTest, AWordForARunThatIsLostInTheSameCommitIsRefusedWithIt) {
  open();
  const RunId lost{Id128{{2}}};
  int told_lost = 0;
  ASSERT_TRUE(log_.open(lost, 1, first_records(), [&](const Error&) { ++told_lost; }));
  store_.refused_run = lost;
  std::optional<Status> late;
  log_.append(log_.writer(id_), {delta(3)}, [&](Status) {
    log_.append(log_.writer(lost), {delta(4)}, [&](Status status) { late = std::move(status); });
  });
  log_.append(log_.writer(lost), {delta(3)}, {});
  loop_.run_ready();
  ASSERT_TRUE(late);
  EXPECT_EQ(late->error().code, ErrorCode::kFenced);
  EXPECT_EQ(told_lost, 1);
  EXPECT_EQ(log_.find(lost), nullptr);
  EXPECT_EQ(store_.appends.size(), 2u) << "nothing of it is submitted any more";
  append({delta(4)});
  loop_.run_ready();
  EXPECT_EQ(log_.find(id_)->committed(), (Sequence{4}));
}

TEST_F(RunLogTest, BrokenRecordsAreAnErrorNotACrash) {
  EXPECT_FALSE(log_.open(id_, 1, "\x05garbage").has_value());
}

struct Leaver final : CommitListener {
  explicit Leaver(RunRecords& r) : records(r) {}
  void on_committed() override {
    ++told;
    if (other) records.remove_listener(*other);
    records.remove_listener(*this);
  }
  RunRecords& records;
  CommitListener* other = nullptr;
  int told = 0;
};

TEST_F(RunLogTest, ListenersMayLeaveWhileTheyAreTold) {
  auto records = open();
  Leaver first(*records), second(*records), third(*records);
  for (auto* listener : {&first, &second, &third}) records->add_listener(*listener);
  first.other = &second;
  append({delta(3)});
  loop_.run_ready();
  append({delta(4)});
  loop_.run_ready();
  EXPECT_EQ(first.told, 1);
  EXPECT_EQ(second.told, 0);
  EXPECT_EQ(third.told, 1);
}

// Cursors that read at random moments, over many pieces of memory: each sees every event once, in order.
TEST_F(RunLogTest, EveryCursorSeesEveryEventOnce) {
  std::mt19937 random(3);
  auto records = open();
  std::vector<Cursor> cursors(20, Cursor(records));
  std::vector<std::vector<std::uint64_t>> seen(cursors.size());
  for (std::uint64_t i = 3; i < 4000; ++i) {
    append({delta(i, std::string(random() % 200, 'a'))});
    if (random() % 3 == 0) loop_.run_ready();
    const auto pick = random() % cursors.size();
    if (const RunEvent* event = cursors[pick].next()) seen[pick].push_back(event->sequence.value);
  }
  loop_.run_ready();
  for (std::size_t c = 0; c < cursors.size(); ++c) {
    for (const auto sequence : read_all(cursors[c])) seen[c].push_back(sequence);
    ASSERT_EQ(seen[c].size(), 3999u);
    for (std::size_t i = 0; i < seen[c].size(); ++i) ASSERT_EQ(seen[c][i], i + 1);
  }
}

// "run", "approvals", … with the status, in the order in which they were told.
class RunChangesTest : public RunLogTest {
 protected:
  RunChangesTest() {
    log_.when_changed([this](const std::shared_ptr<RunRecords>& records, const RunChange& change) {
      EXPECT_EQ(records->id(), id_);
      told_.push_back(change);
    });
  }
  void append_with(RunEffects effects) {
    auto& run = log_.writer(id_);
    log_.effects(run) = std::move(effects);
    log_.append(run, {delta(++last_)}, {});
    loop_.run_ready();
  }
  std::vector<RunChange> told_;
  std::uint64_t last_ = 2;
};

TEST_F(RunChangesTest, ARunThatIsTakenInIsNew) {
  open();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_TRUE(told_[0].run);
  EXPECT_EQ(told_[0].status, RunStatus::kRunning);
}

TEST_F(RunChangesTest, ARunThatWaitsForItsTurnIsQueued) {
  std::string records;
  append_record(records, {{1}, {1000}, 0, RunQueued{}});
  ASSERT_TRUE(log_.open(id_, 1, records));
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].status, RunStatus::kQueued);
  log_.append(log_.writer(id_), {{{2}, {1000}, 0, RunStarted{}}}, {});
  loop_.run_ready();
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_EQ(told_[1].status, RunStatus::kRunning);
}

TEST_F(RunChangesTest, OnlyWhatListsShowIsToldAndOnlyAfterItsCommit) {
  open();
  told_.clear();
  for (int i = 0; i < 5; ++i) append_with({});
  EXPECT_TRUE(told_.empty());
  access_.held = true;
  RunEffects asks;
  asks.status = RunStatus::kWaitingApproval;
  asks.approvals_opened.emplace_back();
  append_with(asks);
  EXPECT_TRUE(told_.empty());
  access_.release();
  loop_.run_ready();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_TRUE(told_[0].run && told_[0].approvals && !told_[0].tasks && !told_[0].items);
  EXPECT_EQ(told_[0].status, RunStatus::kWaitingApproval);
  asks.approvals_opened.clear();
  append_with(asks);
  EXPECT_EQ(told_.size(), 1u) << "it waits as before";
}

TEST_F(RunChangesTest, TasksAndItemsAreToldApart) {
  open();
  told_.clear();
  RunEffects tasks, items;
  tasks.tasks.emplace();
  items.data_items.emplace_back();
  append_with(tasks);
  append_with(items);
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_TRUE(told_[0].tasks && !told_[0].items && !told_[0].run);
  EXPECT_TRUE(told_[1].items && !told_[1].tasks && !told_[1].run);
}

TEST_F(RunChangesTest, ARefusedAppendChangedNothing) {
  open();
  told_.clear();
  store_.refusal = ErrorCode::kFenced;
  append({delta(3)}, RunStatus::kCompleted);
  loop_.run_ready();
  EXPECT_TRUE(told_.empty());
}

}  // namespace
}  // namespace braidlog
