// The contract of the port on SQLite, and what is SQLite's own: crashes, full disks and the journal's size.

#include "store/sqlite/run_store.h"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "port/testing/run_store_contract.h"
#include "store/testing/full_disk.h"
#include "store/testing/sqlite_place.h"

namespace braidlog::testing {
INSTANTIATE_TEST_SUITE_P(Sqlite, RunStoreContract, ::testing::Values(&store::SqlitePlace::make));
INSTANTIATE_TEST_SUITE_P(Sqlite, RunSearchContract, ::testing::Values(&store::SqlitePlace::make));
}  // namespace braidlog::testing

namespace braidlog::store {
namespace {

class SqliteStoreTest : public testing::RunStoreFixture {
 protected:
  void SetUp() override { use(std::make_unique<SqlitePlace>()); }
  void use(std::unique_ptr<SqlitePlace> place) {
    sqlite_place_ = place.get();
    open_place(std::move(place));
  }
  const std::filesystem::path& folder() const { return sqlite_place_->folder(); }
  SqliteRunStore& store() { return static_cast<SqliteRunStore&>(*store_); }
  std::int64_t query(const char* sql) { return query_integer(folder(), sql); }
  void tidy_up() {
    auto last = RunStore::Tidiness::kMore;
    for (int i = 0; i < 1'000 && last == RunStore::Tidiness::kMore; ++i) last = store_->tidy();
    EXPECT_EQ(last, RunStore::Tidiness::kTidy);
  }

  SqlitePlace* sqlite_place_ = nullptr;
};

TEST_F(SqliteStoreTest, FilesAreTheOwnersOnly) {
  TestFolder parent;
  const auto made = SqliteRunStore::open({.folder = parent.path() / "a" / "b", .durability = Durability::kFull});
  ASSERT_TRUE(made) << made.error().message;
  struct stat info {};
  ASSERT_EQ(::stat((parent.path() / "a" / "b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat((parent.path() / "a" / "b" / "braidlog.db").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(SqliteStoreTest, ASecondServerIsRefused) {
  const auto second = SqliteRunStore::open({.folder = folder(), .durability = Durability::kNormal});
  expect_error(second, ErrorCode::kStorage);
  EXPECT_EQ(second.error().message, "another Braidlog server is using this data folder");
  begin_session();  // the first is not disturbed
  reopen();
}

// Where a session's next message stands is remembered with the run, and looked up after a restart.
TEST_F(SqliteStoreTest, MessagesStandInTheirOrderAlsoAfterARestart) {
  const SessionId session = begin_session();
  std::vector<std::string> said;
  for (int turn = 0; turn < 4; ++turn) {
    NewRun write = a_run(session);
    write.expected_message_count = said.size();
    said.push_back("question " + std::to_string(turn));
    write.effects.messages.push_back(a_message(write.run.id, said.back()));
    testing::LiveRunView run = begin_run(write);
    if (turn % 2 == 1) {
      reopen();
      ASSERT_TRUE(store_->claim_runs("next"));
      run.epoch = 2;
    }
    for (const char* part : {"first half ", "second half "}) {
      Append more = an_append(run);
      said.push_back(part + std::to_string(turn));
      more.effects.touch().messages.push_back(a_message(run.id, said.back()));
      append(run, more);
    }
    end_run(run);
  }
  const auto messages = reader_->messages(session, 100);
  ASSERT_EQ(messages->size(), said.size());
  for (std::size_t i = 0; i < said.size(); ++i) EXPECT_EQ((*messages)[i].content, said[i]);
}

// What a crash leaves is the files as they are: a copy of them, taken while the store lives, is a crashed store.
TEST_F(SqliteStoreTest, ACrashAtAnyCommitLosesNothing) {
  std::vector<testing::LiveRunView> runs;
  for (int i = 0; i < 4; ++i) runs.push_back(begin_run(begin_session()));
  for (int round = 0; round < 24; ++round) {
    auto& run = runs[static_cast<std::size_t>(round) % runs.size()];
    append_text(run, std::string(2'000, 'a' + static_cast<char>(round)));
    if (round == 10) commit_one(an_interrupt(runs[1].id));
    if (round == 15) end_run(runs[3]), runs.pop_back();
    if (round % 3 != 0) continue;

    TestFolder crashed;
    copy_database(folder(), crashed.path());
    auto store = SqliteRunStore::open({.folder = crashed.path(), .durability = Durability::kNormal});
    ASSERT_TRUE(store) << store.error().message;
    const auto claimed = (*store)->claim_runs("after");
    ASSERT_TRUE(claimed);
    ASSERT_EQ(claimed->size(), runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      EXPECT_EQ((*claimed)[i].records, runs[i].records);
      EXPECT_EQ((*claimed)[i].run.last, runs[i].last);
      EXPECT_EQ((*claimed)[i].epoch, 2u);
      EXPECT_EQ((*claimed)[i].orders.size(), round >= 10 && i == 1 ? 1u : 0u);
    }
  }
}

// How often `text` stands in any file of the folder.
std::size_t occurrences(const std::filesystem::path& folder, const std::string& text) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    for (std::size_t at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1)) ++count;
  }
  return count;
}

TEST_F(SqliteStoreTest, WhatIsRemovedIsNoLongerOnTheDisk) {
  const std::string secret = "the-secret-of-this-session";
  const SessionId session = begin_session();
  testing::LiveRunView doomed = begin_run(session);
  testing::LiveRunView other = begin_run(begin_session());
  for (int i = 0; i < 400; ++i) {  // over several ranges of the journal, shared with a run that goes on
    append_text(doomed, secret + std::string(2'000, 'x'));
    append_text(other);
  }
  end_run(doomed);
  for (int i = 0; i < 5; ++i) append_text(other);
  ASSERT_GT(occurrences(folder(), secret), 0u);

  expect_ok(commit_one(RemoveSession{session}));
  tidy_up();
  EXPECT_EQ(occurrences(folder(), secret), 0u);
  EXPECT_EQ(query("SELECT count(*) FROM scrub"), 0);

  reopen();
  const auto claimed = store_->claim_runs("after");
  ASSERT_TRUE(claimed && claimed->size() == 1) << "the other run lost nothing";
  EXPECT_EQ(claimed->front().records, other.records);
}

TEST_F(SqliteStoreTest, ExpiredEventsAreNoLongerOnTheDisk) {
  const std::string secret = "an-old-secret-of-somebody";
  testing::LiveRunView run = begin_run(begin_session());
  for (int i = 0; i < 20; ++i) append_text(run, secret + std::string(1'000, 'x'));
  end_run(run);
  EXPECT_EQ(commit_one(ExpireRuns{now(), 1})->expired, 1u);
  tidy_up();
  EXPECT_EQ(occurrences(folder(), secret), 0u);
}

TEST_F(SqliteStoreTest, ARemovedArtifactIsNoLongerOnTheDisk) {
  const std::string secret = "the-secret-in-an-artifact";
  testing::LiveRunView run = begin_run(begin_session());
  for (const std::size_t size : {10u, 100'000u}) {  // in a page with others, and on pages of its own
    std::string content;
    while (content.size() < size) content += secret;
    const api::Artifact artifact = an_artifact("note", content);
    append_items(run, testing::effects_with({artifact, an_artifact()}));
    ASSERT_GT(occurrences(folder(), secret), 0u);
    expect_ok(commit_one(RemoveArtifact{run.session_id, artifact.id}));
    tidy_up();
    EXPECT_EQ(occurrences(folder(), secret), 0u) << size;
  }
  EXPECT_EQ(reader_->artifacts(run.session_id, "")->size(), 2u);
}

TEST_F(SqliteStoreTest, ACrashBeforeTheClearingOnlyDelaysIt) {
  const std::string secret = "a-secret-that-a-crash-left-behind";
  const SessionId session = begin_session();
  testing::LiveRunView run = begin_run(session);
  for (int i = 0; i < 20; ++i) append_text(run, secret + std::string(1'000, 'x'));
  end_run(run);
  expect_ok(commit_one(RemoveSession{session}));
  store_->tidy();  // one step of several
  reopen();
  tidy_up();
  EXPECT_EQ(occurrences(folder(), secret), 0u);
}

TEST_F(SqliteStoreTest, AReaderInTheWayOfTidyingIsWaitedForLater) {
  const SessionId session = begin_session();
  testing::LiveRunView run = begin_run(session);
  end_run(run);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((folder() / "braidlog.db").c_str(), &other), SQLITE_OK);
  sqlite3_exec(other, "BEGIN; SELECT count(*) FROM run", nullptr, nullptr, nullptr);
  expect_ok(commit_one(RemoveSession{session}));
  auto last = RunStore::Tidiness::kMore;
  for (int i = 0; i < 20 && last == RunStore::Tidiness::kMore; ++i) last = store_->tidy();
  EXPECT_EQ(last, RunStore::Tidiness::kBlocked);
  sqlite3_close(other);
  tidy_up();
  EXPECT_EQ(std::filesystem::file_size(folder() / "braidlog.db-wal"), 0u);
}

TEST_F(SqliteStoreTest, ADiskThatIsNearlyFullTakesNoNewRuns) {
  TestFolder full;
  auto store = SqliteRunStore::open({.folder = full.path() / "data", .disk_used_percent_max = 0});
  ASSERT_TRUE(store);
  const api::Session session = a_session();
  std::vector<Write> writes{NewSession{session}, a_run(session.id)};
  const auto outcomes = (*store)->commit(writes);
  expect_ok(outcomes[0]);
  // A disk in memory may well be empty to the last percent.
  if (std::filesystem::space(full.path()).free < std::filesystem::space(full.path()).capacity / 100 * 99) {
    expect_error(outcomes[1], ErrorCode::kUnavailable);
  }
}

TEST_F(SqliteStoreTest, TextDeltasWriteTheJournalAlone) {
  testing::LiveRunView run = begin_run(begin_session());
  for (int i = 0; i < 11; ++i) append_text(run);
  EXPECT_EQ(query("SELECT last_sequence FROM run"), 1);
  EXPECT_EQ(query("SELECT count(*) FROM journal"), 12);
  EXPECT_EQ(query("SELECT count(*) FROM run_record"), 0);
}

TEST_F(SqliteStoreTest, JournalStaysSmallOverManyRuns) {
  const SessionId session = begin_session();
  for (int i = 0; i < 10'000; ++i) {
    testing::LiveRunView run = begin_run(session);
    const Append text = an_append(run, std::string(200, 'x'));
    run.last = run.last.next();
    run.records += text.records;
    for (const auto& outcome : commit({text, an_end(run)})) expect_ok(outcome);
    ASSERT_LT(store().journal_bytes(), 1024u * 1024) << i;
  }
  EXPECT_EQ(query("SELECT sum(length(body)) FROM journal"), static_cast<std::int64_t>(store().journal_bytes()));
  reopen();
  EXPECT_EQ(query("SELECT sum(length(body)) FROM journal"), static_cast<std::int64_t>(store().journal_bytes()));
  EXPECT_EQ(reader_->runs(session)->size(), 10'000u);
}

TEST_F(SqliteStoreTest, JournalKeepsWhatAnOldRunNeeds) {
  testing::LiveRunView old = begin_run(begin_session());
  const SessionId session = begin_session();
  const auto pass_time = [&](int runs) {
    for (int i = 0; i < runs; ++i) {
      testing::LiveRunView run = begin_run(session);
      append_text(run, std::string(50'000, 'x'));
      end_run(run);
    }
  };
  pass_time(20);
  append_text(old);
  EXPECT_GT(store().journal_bytes(), 900'000u);
  reopen();
  EXPECT_GT(store().journal_bytes(), 900'000u);
  const auto claimed = store_->claim_runs("after");
  ASSERT_EQ(claimed->size(), 1u);
  EXPECT_EQ(claimed->front().records, old.records);
  old.epoch = 2;
  end_run(old);
  pass_time(20);
  EXPECT_LT(store().journal_bytes(), 600'000u);
}

TEST_F(SqliteStoreTest, RunsThatLiveLongAreCarriedOutOfAFullJournal) {
  use(std::make_unique<SqlitePlace>(1024 * 1024));
  testing::LiveRunView waiting = begin_run(begin_session());
  testing::LiveRunView slow = begin_run(begin_session());
  append_text(waiting, "asks");
  const SessionId session = begin_session();
  for (int i = 0; i < 120; ++i) {
    testing::LiveRunView run = begin_run(session);
    append_text(run, std::string(50'000, 'x'));
    if (i % 7 == 0) append_text(slow, "slowly " + std::to_string(i));
    end_run(run);
    ASSERT_LT(store().journal_bytes(), 1536u * 1024) << i;
    if (i % 50 == 49) {
      reopen();
      const auto claimed = store_->claim_runs("after");
      ASSERT_EQ(claimed->size(), 2u);
      EXPECT_EQ(claimed->front().records, waiting.records);
      EXPECT_EQ(claimed->front().run.last, waiting.last);
      EXPECT_EQ(claimed->back().records, slow.records);
      EXPECT_EQ(claimed->back().run.last, slow.last);
      waiting.epoch = slow.epoch = claimed->front().epoch;
    }
  }
  EXPECT_GT(query("SELECT count(*) FROM run_record WHERE record_count < 3"), 1);
  expect_error(reader_->records(waiting.id), ErrorCode::kInvalidState);
  end_run(waiting);
  append_text(slow);
  end_run(slow);
  EXPECT_EQ(*reader_->records(waiting.id), waiting.records);
  EXPECT_EQ(*reader_->records(slow.id), slow.records);
  EXPECT_EQ(query("SELECT count(*) FROM run_record"), 122);
}

TEST_F(SqliteStoreTest, ARunThatWasCarriedWholeHoldsNothingBack) {
  use(std::make_unique<SqlitePlace>(1024 * 1024));
  testing::LiveRunView waiting = begin_run(begin_session());
  const SessionId session = begin_session();
  for (const int times : {1, 2}) {
    for (int i = 0; i < 40; ++i) {
      testing::LiveRunView run = begin_run(session);
      append_text(run, std::string(50'000, 'x'));
      end_run(run);
    }
    EXPECT_LT(store().journal_bytes(), 600'000u);
    EXPECT_EQ(query("SELECT count(*) FROM run_record WHERE record_count < 3"), times);
    append_text(waiting, "goes on");  // and is in the journal again
  }
  reopen();
  EXPECT_EQ(store_->claim_runs("after")->front().records, waiting.records);
}

TEST_F(SqliteStoreTest, RemovedDataLeavesTheJournalSoon) {
  const SessionId session = begin_session();
  testing::LiveRunView run = begin_run(session);
  append_text(run, "a secret");
  end_run(run);
  expect_ok(commit_one(RemoveSession{session}));
  begin_session();
  EXPECT_EQ(query("SELECT count(*) FROM journal"), 0);
}

TEST_F(SqliteStoreTest, AFullDiskRefusesWholeCommitsAndThenRecovers) {
  const SessionId session = begin_session();
  testing::LiveRunView run = begin_run(session);
  testing::LiveRunView ending = begin_run(begin_session());
  append_text(run, "before");
  const api::Session unlucky = a_session();
  Append text = an_append(run, std::string(100'000, 'x'));
  text.effects.touch().usage = Usage{.input_tokens = 5};
  const Append end = an_end(ending);
  {
    const FullDisk full(std::filesystem::file_size(folder() / "braidlog.db-wal"));
    const auto outcomes =
        commit({NewSession{unlucky}, text, end, an_append({.id = id<RunId>()}), an_interrupt(run.id)});
    ASSERT_EQ(outcomes.size(), 5u);
    for (const auto& outcome : outcomes) expect_error(outcome, ErrorCode::kStorage);
    EXPECT_FALSE(reader_->run(run.id)->usage);
    EXPECT_EQ(reader_->run(ending.id)->status, RunStatus::kRunning);
    expect_error(reader_->session(unlucky.id), ErrorCode::kSessionNotFound);
    expect_error(store_->claim_runs("other"), ErrorCode::kStorage);
  }
  for (const auto& outcome : commit({NewSession{unlucky}, text, end})) expect_ok(outcome);
  EXPECT_EQ(reader_->run(run.id)->usage, text.effects->usage);
  run.records += text.records;
  run.last = run.last.next();
  end_run(run);
  reopen();
  EXPECT_EQ(*reader_->records(run.id), run.records);
  EXPECT_EQ(*reader_->records(ending.id), *end.sealed);
}

TEST_F(SqliteStoreTest, RecordsPastRetentionAreGone) {
  testing::LiveRunView run = begin_run(begin_session());
  end_run(run);
  query("DELETE FROM run_record");
  expect_error(reader_->records(run.id), ErrorCode::kGone);
}

}  // namespace
}  // namespace braidlog::store
