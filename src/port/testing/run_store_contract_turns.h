// Runs that wait for their turn, sessions that are made with their first run, keys of users, and alerts.
#pragma once

#include "port/testing/run_store_fixture.h"

namespace braidlog::testing {

inline NewRun waiting(NewRun write) {
  write.may_wait = true;
  write.waiting_max = 2;
  write.first_record_bytes = write.records.size();
  return write;
}

TEST_P(RunStoreContract, ABusySessionLetsRunsWaitInOrder) {
  const SessionId session = begin_session();
  LiveRunView first = begin_run(waiting(a_run(session)));
  EXPECT_EQ(reader_->run(first.id)->status, RunStatus::kRunning) << "the session was free";

  NewRun second = waiting(a_run(session)), third = waiting(a_run(session));
  add_record(second.records, {2}, TextDelta{.turn = 1, .part = 1, .text = "not yet"});
  second.record_count = 2;
  second.effects.messages = {a_message(second.run.id, "not yet")};
  for (const NewRun& write : {second, third}) {
    const auto outcome = commit_one(write);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_TRUE(outcome->waits);
  }
  EXPECT_EQ(reader_->run(second.run.id)->status, RunStatus::kQueued);
  EXPECT_EQ(reader_->run(second.run.id)->last, Sequence{1}) << "only that it was asked for is stored";
  EXPECT_TRUE(reader_->messages(session, 10)->empty());
  EXPECT_EQ(reader_->session(session)->active_run, first.id);
  expect_error(commit_one(waiting(a_run(session))), ErrorCode::kRateLimited);
  expect_error(commit_one(a_run(session)), ErrorCode::kActiveRunExists);

  EXPECT_EQ(commit_one(an_end(first))->next_run, second.run.id);
  EXPECT_EQ(reader_->session(session)->active_run, second.run.id);
  expect_error(commit_one(a_run(session)), ErrorCode::kActiveRunExists);  // the waiting ones keep it busy

  LiveRunView turn{second.run.id, session, 1, {1}, second.records.substr(0, second.first_record_bytes)};
  Append begun = an_append(turn);
  begun.effects.touch().status = RunStatus::kRunning;
  begun.effects.touch().started_at = now();
  expect_ok(commit_one(begun));
  EXPECT_EQ(reader_->run(turn.id)->status, RunStatus::kRunning);
}

TEST_P(RunStoreContract, TurnsThatAreAskedForLaterHaveLaterIds) {
  const SessionId session = begin_session();
  begin_run(a_run(session));
  NewRun early = waiting(a_run(session)), late = waiting(a_run(session));
  ASSERT_TRUE(commit_one(late)->waits);
  const auto refused = commit_one(early);
  expect_error(refused, ErrorCode::kFenced);
  EXPECT_EQ(refused.error().subject, to_prefixed(late.run.id));
  ASSERT_TRUE(commit_one(waiting(a_run(session)))->waits);
}

TEST_P(RunStoreContract, ARunThatEndsWhileItWaitsCallsNobody) {
  const SessionId session = begin_session();
  LiveRunView first = begin_run(a_run(session));
  NewRun second = waiting(a_run(session)), third = waiting(a_run(session));
  ASSERT_TRUE(commit_one(second)->waits);
  ASSERT_TRUE(commit_one(third)->waits);
  LiveRunView dropped{second.run.id, session, 1, {1}, second.records};
  EXPECT_FALSE(commit_one(an_end(dropped, RunStatus::kInterrupted))->next_run) << "one is at work";
  EXPECT_EQ(commit_one(an_end(first))->next_run, third.run.id);
}

TEST_P(RunStoreContract, WaitingRunsAreClaimedAfterARestart) {
  const SessionId session = begin_session();
  LiveRunView first = begin_run(a_run(session));
  NewRun second = waiting(a_run(session));
  ASSERT_TRUE(commit_one(second)->waits);
  reopen();
  const auto claimed = store_->claim_runs("server-2");
  ASSERT_TRUE(claimed);
  ASSERT_EQ(claimed->size(), 2u);
  EXPECT_EQ((*claimed)[1].run.status, RunStatus::kQueued);
  EXPECT_EQ((*claimed)[1].records, second.records.substr(0, second.first_record_bytes));
  expect_error(commit_one(RemoveSession{session}), ErrorCode::kInvalidState);
}

TEST_P(RunStoreContract, ASessionIsMadeWithItsFirstRun) {
  const api::Session session = a_session();
  NewRun write = a_run(session.id);
  write.new_session = session;
  write.idempotency_key = "key";
  write.fingerprint = "same";
  write.key_scope = {std::nullopt, "ann"};
  expect_ok(commit_one(write));
  EXPECT_EQ(reader_->session(session.id)->title, session.title);
  EXPECT_EQ(reader_->session(session.id)->active_run, write.run.id);

  const api::Session other = a_session();
  NewRun again = a_run(other.id);
  again.new_session = other;
  again.idempotency_key = "key";
  again.fingerprint = "same";
  again.key_scope = {std::nullopt, "ann"};
  EXPECT_EQ(commit_one(again)->existing_run, write.run.id);
  EXPECT_FALSE(reader_->session(other.id)) << "no session without its run";
  again.fingerprint = "other";
  expect_error(commit_one(again), ErrorCode::kIdempotencyConflict);
  again.key_scope.user_id = "bob";
  const auto of_bob = commit_one(again);
  ASSERT_TRUE(of_bob);
  EXPECT_FALSE(of_bob->existing_run) << "keys of users are their own";
}

TEST_P(RunStoreContract, ARunThatMayNotBeginStillFindsItsKey) {
  const SessionId session = begin_session();
  NewRun write = a_run(session);
  write.idempotency_key = "key";
  LiveRunView run = begin_run(write);
  NewRun again = a_run(session);
  again.idempotency_key = "key";
  again.may_begin = false;
  EXPECT_EQ(commit_one(again)->existing_run, run.id);
  again.idempotency_key = "other";
  expect_error(commit_one(again), ErrorCode::kRateLimited);
}

TEST_P(RunStoreContract, KeysGoWithTheirSession) {
  const api::Session session = a_session();
  NewRun write = a_run(session.id);
  write.new_session = session;
  write.idempotency_key = "key";
  write.key_scope = {std::nullopt, "ann"};
  LiveRunView run = begin_run(write);
  end_run(run);
  expect_ok(commit_one(RemoveSession{session.id}));
  const api::Session next = a_session();
  NewRun again = a_run(next.id);
  again.new_session = next;
  again.idempotency_key = "key";
  again.key_scope = {std::nullopt, "ann"};
  EXPECT_FALSE(commit_one(again)->existing_run);
}

TEST_P(RunStoreContract, SessionsCanBeReadOnFromAPlace) {
  std::vector<SessionId> newest_first;
  for (int i = 0; i < 5; ++i) newest_first.insert(newest_first.begin(), begin_session(i % 2 == 0 ? "ann" : "bob"));
  const auto all = reader_->sessions({std::nullopt, 3, 0});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->total, 5u);
  ASSERT_EQ(all->items.size(), 3u);
  const auto& last = all->items.back();
  const auto rest = reader_->sessions({std::nullopt, 10, 0, {{last.updated_at, last.id}}});
  ASSERT_EQ(rest->items.size(), 2u);
  EXPECT_EQ(rest->items[0].id, newest_first[3]);
  const auto of_ann = reader_->sessions({"ann", 10, 0, {{last.updated_at, last.id}}});
  ASSERT_EQ(of_ann->items.size(), 1u);
  EXPECT_EQ(of_ann->items[0].id, newest_first[4]);
}

TEST_P(RunStoreContract, MessagesKeepWhatWasAttached) {
  const SessionId session = begin_session();
  NewRun write = a_run(session);
  write.effects.messages = {a_message(write.run.id, "look")};
  write.effects.messages[0].attached = "## Attached file: a.txt";
  begin_run(write);
  EXPECT_EQ(reader_->messages(session, 1)->front().attached, "## Attached file: a.txt");
}

TEST_P(RunStoreContract, TextOfAttachedFilesMayComeLater) {
  const SessionId session = begin_session();
  NewRun write = a_run(session);
  write.effects.messages = {a_message(write.run.id, "look"), a_message(write.run.id, "other")};
  auto run = begin_run(write);
  Append found = an_append(run);
  found.effects.touch().attached = AttachedText{write.effects.messages[0].id, "## Attached file: a.png"};
  append(run, found);
  const auto messages = reader_->messages(session, 2);
  EXPECT_EQ(messages->at(0).attached, "## Attached file: a.png");
  EXPECT_EQ(messages->at(1).attached, "");
}

TEST_P(RunStoreContract, AnAlertIsKeptOnce) {
  api::Alert alert{.at = now(),
                   .user_id = "ann",
                   .session_id = id<SessionId>(),
                   .run_id = id<RunId>(),
                   .call_id = id<ToolCallId>(),
                   .message = "it burns",
                   .priority = "high"};
  const auto first = commit_one(AddAlert{alert});
  ASSERT_TRUE(first);
  EXPECT_EQ(commit_one(AddAlert{alert})->ticket, first->ticket);
  alert.call_id = id<ToolCallId>();
  EXPECT_GT(commit_one(AddAlert{alert})->ticket, first->ticket);
  reopen();
  const auto alerts = reader_->alerts(10);
  ASSERT_EQ(alerts->size(), 2u);
  EXPECT_GT(alerts->front().ticket, alerts->back().ticket) << "newest first";
  EXPECT_EQ(alerts->back().message, "it burns");
  EXPECT_EQ(alerts->back().priority, "high");
  EXPECT_EQ(reader_->alerts(1)->size(), 1u);
}

TEST_P(RunStoreContract, PendingApprovalsOfEverybody) {
  LiveRunView anns = begin_run(a_run(begin_session("ann"))), bobs = begin_run(a_run(begin_session("bob")));
  for (const LiveRunView& run : {anns, bobs}) {
    Append write = an_append(run);
    write.effects.touch().approvals_opened = {an_approval(run)};
    expect_ok(commit_one(write));
  }
  EXPECT_EQ(reader_->all_approvals()->size(), 2u);
  EXPECT_EQ(reader_->approvals_of_user("ann")->size(), 1u);
}

}  // namespace braidlog::testing
