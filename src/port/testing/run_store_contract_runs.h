// Part of run_store_contract.h: a run begins, grows and ends.
#pragma once

#include "port/testing/run_store_fixture.h"

namespace braidlog::testing {

TEST_P(RunStoreContract, NewRunIsTheSessionsActiveRun) {
  const SessionId session = begin_session();
  NewRun write = a_run(session);
  write.effects.status = RunStatus::kRunning;
  write.effects.started_at = now();
  const LiveRunView begun = begin_run(write);
  for (int i = 0; i < 2; ++i, reopen()) {
    const auto run = reader_->run(begun.id);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->id, begun.id);
    EXPECT_EQ(run->session_id, session);
    EXPECT_EQ(run->user_id, "ann");
    EXPECT_EQ(run->agent, "writer");
    EXPECT_EQ(run->contract, "runs");
    EXPECT_EQ(run->status, RunStatus::kRunning);
    EXPECT_EQ(run->created_at, write.run.created_at);
    EXPECT_EQ(run->started_at, write.effects.started_at);
    EXPECT_FALSE(run->ended_at);
    EXPECT_FALSE(run->failure);
    EXPECT_FALSE(run->usage);
    EXPECT_TRUE(run->replayable);
    EXPECT_EQ(reader_->session(session)->active_run, begun.id);
  }
}

TEST_P(RunStoreContract, NewRunChecksInTheStatedOrder) {
  expect_error(commit_one(a_run(id<SessionId>())), ErrorCode::kSessionNotFound);

  const SessionId session = begin_session();
  NewRun first = a_run(session);
  first.idempotency_key = "key";
  first.fingerprint = "same";
  first.effects.messages = {a_message(first.run.id, "hello")};
  LiveRunView run = begin_run(first);

  NewRun next = a_run(session);  // everything is wrong with it: key, active run, message count
  next.expected_message_count = 9;
  next.idempotency_key = "key";
  next.fingerprint = "same";
  const auto existing = commit_one(next);
  ASSERT_TRUE(existing);
  EXPECT_EQ(existing->existing_run, run.id);

  next.fingerprint = "other";
  expect_error(commit_one(next), ErrorCode::kIdempotencyConflict);

  next.idempotency_key = "new key";
  const auto active = commit_one(next);
  expect_error(active, ErrorCode::kActiveRunExists);
  EXPECT_EQ(active.error().subject, to_prefixed(run.id));

  end_run(run);
  expect_error(commit_one(next), ErrorCode::kFenced);
  next.expected_message_count = 1;
  expect_ok(commit_one(next));
  EXPECT_EQ(reader_->runs(session)->size(), 2u);
}

TEST_P(RunStoreContract, NewRunHearsWhatTheSessionSaysAboutApprovals) {
  const SessionId session = begin_session();
  const std::vector<Write> writes = {SetSession{.id = session, .auto_approve = true, .updated_at = now()},
                                     a_run(session)};
  const auto results = store_->commit(writes);
  ASSERT_TRUE(results[1]);
  EXPECT_TRUE(results[1]->auto_approve);
  const SessionId other = begin_session();
  EXPECT_FALSE(commit_one(a_run(other))->auto_approve);
}

TEST_P(RunStoreContract, IdempotencyKeysLastAndBelongToASession) {
  const SessionId session = begin_session();
  const SessionId other = begin_session();
  NewRun write = a_run(session);
  write.idempotency_key = "key";
  write.fingerprint = "same";
  LiveRunView run = begin_run(write);
  end_run(run);
  reopen();

  NewRun again = a_run(session);
  again.idempotency_key = "key";
  again.fingerprint = "same";
  EXPECT_EQ(commit_one(again)->existing_run, run.id);
  again.fingerprint = "other";
  expect_error(commit_one(again), ErrorCode::kIdempotencyConflict);

  NewRun elsewhere = a_run(other);
  elsewhere.idempotency_key = "key";
  elsewhere.fingerprint = "other";
  const auto begun = commit_one(elsewhere);
  ASSERT_TRUE(begun);
  EXPECT_FALSE(begun->existing_run);
}

TEST_P(RunStoreContract, TheSameKeyTwiceInOneCommitIsOneRun) {
  const SessionId session = begin_session();
  NewRun first = a_run(session), second = a_run(session);
  first.idempotency_key = second.idempotency_key = "key";
  const auto outcomes = commit({first, second});
  expect_ok(outcomes[0]);
  EXPECT_FALSE(outcomes[0]->existing_run);
  EXPECT_EQ(outcomes[1]->existing_run, first.run.id);
  EXPECT_EQ(reader_->runs(session)->size(), 1u);
}

TEST_P(RunStoreContract, NoKeyMeansAnotherRunEachTime) {
  const SessionId session = begin_session();
  for (int i = 0; i < 2; ++i) {
    LiveRunView run = begin_run(session);
    end_run(run);
  }
  EXPECT_EQ(reader_->runs(session)->size(), 2u);
}

TEST_P(RunStoreContract, AppendIsFencedByEpochAndSequence) {
  LiveRunView run = begin_run(begin_session());
  append_text(run);
  Append wrong = an_append(run);
  wrong.epoch = 2;
  expect_error(commit_one(wrong), ErrorCode::kFenced);
  wrong.epoch = 0;
  expect_error(commit_one(wrong), ErrorCode::kFenced);
  for (const std::uint64_t follows : {run.last.value - 1, run.last.value + 1}) {
    wrong = an_append(run);
    wrong.follows = {follows};
    expect_error(commit_one(wrong), ErrorCode::kFenced);
  }
  append_text(run);
  end_run(run);
  EXPECT_EQ(*reader_->records(run.id), run.records);
}

TEST_P(RunStoreContract, FencedEndDoesNotEndTheRun) {
  LiveRunView run = begin_run(begin_session());
  Append end = an_end(run);
  end.epoch = 9;
  end.effects.touch().messages = {a_message(run.id, "must not stay")};
  expect_error(commit_one(end), ErrorCode::kFenced);
  EXPECT_EQ(reader_->run(run.id)->status, RunStatus::kRunning);
  EXPECT_EQ(reader_->session(run.session_id)->message_count, 0u);
  expect_error(reader_->records(run.id), ErrorCode::kInvalidState);
  append_text(run);
}

TEST_P(RunStoreContract, EffectsShowInTheTables) {
  LiveRunView run = begin_run(begin_session());
  Append write = an_append(run);
  write.effects.touch().status = RunStatus::kRunning;
  write.effects.touch().started_at = now();
  write.effects.touch().usage = Usage{.input_tokens = 11, .output_tokens = 2, .reasoning_tokens = 1};
  write.effects.touch().tools_approved = {"file_write", "calculator", "file_write"};
  write.effects.touch().messages = {a_message(run.id, "one"), a_message(run.id, "two")};
  append(run, write);
  append_text(run);  // says nothing of start and usage: they stay
  for (int i = 0; i < 2; ++i, reopen()) {
    const auto read = reader_->run(run.id);
    EXPECT_EQ(read->status, RunStatus::kRunning);
    EXPECT_EQ(read->started_at, write.effects->started_at);
    EXPECT_EQ(read->usage, write.effects->usage);
    const auto session = reader_->session(run.session_id);
    EXPECT_EQ(session->approved_tools, (std::vector<std::string>{"calculator", "file_write"}));
    EXPECT_EQ(session->message_count, 2u);
    EXPECT_EQ(session->usage, write.effects->usage);
    EXPECT_EQ(reader_->messages(run.session_id, 9)->back().id, write.effects->messages.back().id);
    EXPECT_EQ(reader_->messages(run.session_id, 9)->back().run_id, run.id);
  }
}

TEST_P(RunStoreContract, FailureShowsInTheRun) {
  LiveRunView run = begin_run(begin_session());
  Append end = an_end(run, RunStatus::kFailed);
  end.effects.touch().failure = FailureCode::kProviderTimeout;
  end.effects.touch().failure_message = "the model did not answer";
  append(run, end);
  for (int i = 0; i < 2; ++i, reopen()) {
    const auto read = reader_->run(run.id);
    EXPECT_EQ(read->status, RunStatus::kFailed);
    EXPECT_EQ(read->failure, FailureCode::kProviderTimeout);
    EXPECT_EQ(read->failure_message, "the model did not answer");
    EXPECT_EQ(read->ended_at, end.effects->ended_at);
    EXPECT_EQ(read->last, run.last);
    EXPECT_FALSE(reader_->session(run.session_id)->active_run);
  }
}

TEST_P(RunStoreContract, FinishedRunTakesNoMoreEventsOrOrders) {
  for (const RunStatus status : {RunStatus::kCompleted, RunStatus::kFailed, RunStatus::kInterrupted}) {
    LiveRunView run = begin_run(begin_session());
    append(run, an_end(run, status));
    for (int i = 0; i < 2; ++i, reopen()) {
      expect_error(commit_one(an_append(run)), ErrorCode::kInvalidState);
      expect_error(commit_one(an_end(run)), ErrorCode::kInvalidState);
      expect_error(commit_one(an_interrupt(run.id)), ErrorCode::kInvalidState);
      EXPECT_EQ(*reader_->records(run.id), run.records);
      EXPECT_EQ(reader_->run(run.id)->last, run.last);
    }
  }
}

TEST_P(RunStoreContract, RecordsAreReadWhenTheRunIsOver) {
  LiveRunView run = begin_run(begin_session());
  for (int i = 0; i < 20; ++i) append_text(run, std::string(static_cast<std::size_t>(i) * 50, 'x'));
  expect_error(reader_->records(run.id), ErrorCode::kInvalidState);
  reopen();
  expect_error(reader_->records(run.id), ErrorCode::kInvalidState);
  end_run(run);
  EXPECT_EQ(*reader_->records(run.id), run.records);
  reopen();
  EXPECT_EQ(*reader_->records(run.id), run.records);
}

TEST_P(RunStoreContract, ARunMayLiveAndEndWithinOneCommit) {
  const SessionId session = begin_session();
  const NewRun begin = a_run(session);
  LiveRunView run{.id = begin.run.id, .session_id = session, .last = {1}, .records = begin.records};
  const Append middle = an_append(run);
  run.last = run.last.next();
  run.records += middle.records;
  const Append end = an_end(run);
  for (const auto& outcome : commit({begin, middle, end})) expect_ok(outcome);
  for (int i = 0; i < 2; ++i, reopen()) {
    EXPECT_EQ(*reader_->records(run.id), *end.sealed);
    EXPECT_EQ(reader_->run(run.id)->last, Sequence{3});
  }
  EXPECT_TRUE(store_->claim_runs("server-2")->empty());
}

TEST_P(RunStoreContract, RunsOfASessionStandOldestFirst) {
  const SessionId session = begin_session();
  std::vector<RunId> expected;
  for (int i = 0; i < 4; ++i) {
    LiveRunView run = begin_run(session);
    expected.push_back(run.id);
    end_run(run);
  }
  LiveRunView foreign = begin_run(begin_session());
  std::vector<RunId> seen;
  const auto runs = reader_->runs(session);
  for (const auto& run : *runs) seen.push_back(run.id);
  EXPECT_EQ(seen, expected);
}

TEST_P(RunStoreContract, ExpiredRunsLoseTheirEventsAndNothingElse) {
  const SessionId session = begin_session();
  std::vector<LiveRunView> runs;
  std::vector<WallTime> ended;
  for (int i = 0; i < 3; ++i) {
    runs.push_back(begin_run(session));
    end_run(runs.back());
    ended.push_back(*reader_->run(runs.back().id)->ended_at);
  }
  LiveRunView live = begin_run(session);

  EXPECT_EQ(commit_one(ExpireRuns{ended[0], 10})->expired, 0u) << "none ended before the first one's end";
  EXPECT_EQ(commit_one(ExpireRuns{now(), 2})->expired, 2u) << "no more than asked for, the oldest first";
  for (int i = 0; i < 2; ++i, reopen()) {
    expect_error(reader_->records(runs[0].id), ErrorCode::kGone);
    expect_error(reader_->records(runs[1].id), ErrorCode::kGone);
    EXPECT_EQ(*reader_->records(runs[2].id), runs[2].records);
    EXPECT_FALSE(reader_->run(runs[0].id)->replayable);
    EXPECT_EQ(reader_->run(runs[0].id)->status, RunStatus::kCompleted);
    EXPECT_TRUE(reader_->run(runs[2].id)->replayable);
    EXPECT_EQ(reader_->runs(session)->size(), 4u);
  }
  EXPECT_EQ(commit_one(ExpireRuns{now(), 10})->expired, 1u);
  EXPECT_EQ(commit_one(ExpireRuns{now(), 10})->expired, 0u) << "nothing goes twice";
  while (store_->tidy() == RunStore::Tidiness::kMore) {
  }
  append_text(live);
  end_run(live);
  EXPECT_EQ(*reader_->records(live.id), live.records) << "an unfinished run keeps everything";
}

}  // namespace braidlog::testing
