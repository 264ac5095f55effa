// Part of run_store_contract.h: who may write a run, and what a new owner gets.
#pragma once

#include "port/testing/run_store_fixture.h"

namespace braidlog::testing {

TEST_P(RunStoreContract, ClaimGivesEveryUnfinishedRunWithAllItsRecords) {
  LiveRunView live = begin_run(begin_session());
  LiveRunView over = begin_run(begin_session());
  Append write = an_append(live, "first");
  write.effects.touch().status = RunStatus::kRunning;
  write.effects.touch().started_at = now();
  append(live, write);
  append_text(over);
  append_text(live, "second");
  end_run(over);
  reopen();

  const auto claimed = store_->claim_runs("server-2");
  ASSERT_TRUE(claimed);
  ASSERT_EQ(claimed->size(), 1u);
  const ClaimedRun& one = claimed->front();
  EXPECT_EQ(one.run.id, live.id);
  EXPECT_EQ(one.run.session_id, live.session_id);
  EXPECT_EQ(one.run.status, RunStatus::kRunning);
  EXPECT_EQ(one.run.started_at, write.effects->started_at);
  EXPECT_EQ(one.run.last, live.last);
  EXPECT_EQ(one.epoch, 2u);
  EXPECT_EQ(one.records, live.records);
  EXPECT_TRUE(one.orders.empty());
}

TEST_P(RunStoreContract, ClaimFencesTheOldOwner) {
  LiveRunView run = begin_run(begin_session());
  append_text(run);
  const auto claimed = store_->claim_runs("server-2");
  ASSERT_EQ(claimed->size(), 1u);
  expect_error(commit_one(an_append(run)), ErrorCode::kFenced);
  expect_error(commit_one(an_end(run)), ErrorCode::kFenced);
  run.epoch = claimed->front().epoch;
  append_text(run);
  end_run(run);
  EXPECT_EQ(*reader_->records(run.id), run.records);
}

TEST_P(RunStoreContract, EachClaimIsTheNextEpochAlsoOverReopens) {
  LiveRunView run = begin_run(begin_session());
  for (std::uint64_t epoch = 2; epoch < 6; ++epoch) {
    if (epoch % 2 == 0) reopen();
    const auto claimed = store_->claim_runs("server-" + std::to_string(epoch));
    ASSERT_EQ(claimed->size(), 1u);
    EXPECT_EQ(claimed->front().epoch, epoch);
    EXPECT_EQ(claimed->front().records, run.records);
    run.epoch = epoch;
    append_text(run);
  }
  end_run(run);
  EXPECT_TRUE(store_->claim_runs("server-9")->empty());
  run.epoch = 1;
  expect_error(commit_one(an_append(run)), ErrorCode::kFenced);
}

TEST_P(RunStoreContract, ClaimOfNothingIsEmpty) {
  begin_session();
  EXPECT_TRUE(store_->claim_runs("server-1")->empty());
}

TEST_P(RunStoreContract, AReaderSeesWhatIsCommittedAndNoMore) {
  const auto second = store_->open_reader();
  ASSERT_TRUE(second);
  const SessionId session = begin_session();
  EXPECT_TRUE((*second)->session(session));
  LiveRunView run = begin_run(session);
  EXPECT_EQ((*second)->session(session)->active_run, run.id);
  end_run(run);
  EXPECT_EQ(*(*second)->records(run.id), *reader_->records(run.id));
}

TEST_P(RunStoreContract, ManyRunsInOneCommit) {
  std::vector<LiveRunView> runs;
  for (int i = 0; i < 50; ++i) runs.push_back(begin_run(begin_session()));
  for (int round = 0; round < 5; ++round) {
    std::vector<Write> writes;
    for (auto& run : runs) {
      const Append write = an_append(run, "round " + std::to_string(round));
      run.records += write.records;
      run.last = run.last.next();
      writes.push_back(write);
    }
    for (const auto& outcome : commit(writes)) expect_ok(outcome);
  }
  reopen();
  const auto claimed = store_->claim_runs("server-2");
  ASSERT_EQ(claimed->size(), runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ((*claimed)[i].run.id, runs[i].id);
    EXPECT_EQ((*claimed)[i].records, runs[i].records);
  }
}

}  // namespace braidlog::testing
