// Part of run_store_contract.h: sessions, their lists, messages and sums, and the commit itself.
#pragma once

#include "port/testing/run_store_fixture.h"

namespace braidlog::testing {

TEST_P(RunStoreContract, SessionReadsBackAsItWasMade) {
  api::Session session = a_session();
  session.title = "T\xc3\xaftle with \"quotes\" and \n lines";
  session.auto_approve = true;
  session.approved_tools = {"file_write"};
  expect_ok(commit_one(NewSession{session}));
  for (int i = 0; i < 2; ++i, reopen()) {
    const auto read = reader_->session(session.id);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->id, session.id);
    EXPECT_EQ(read->user_id, "ann");
    EXPECT_EQ(read->title, session.title);
    EXPECT_EQ(read->agent, "writer");
    EXPECT_EQ(read->contract, "runs");
    EXPECT_TRUE(read->auto_approve);
    EXPECT_EQ(read->approved_tools, session.approved_tools);
    EXPECT_EQ(read->created_at, session.created_at);
    EXPECT_EQ(read->updated_at, session.updated_at);
    EXPECT_EQ(read->message_count, 0u);
    EXPECT_FALSE(read->active_run);
    EXPECT_EQ(read->pending_approvals, 0u);
    EXPECT_FALSE(read->usage);
  }
}

TEST_P(RunStoreContract, UnknownThingsAreNotFound) {
  expect_error(reader_->session(id<SessionId>()), ErrorCode::kSessionNotFound);
  expect_error(reader_->run(id<RunId>()), ErrorCode::kRunNotFound);
  expect_error(reader_->records(id<RunId>()), ErrorCode::kRunNotFound);
  expect_error(reader_->approval(id<ApprovalId>()), ErrorCode::kApprovalNotFound);
  EXPECT_TRUE(reader_->messages(id<SessionId>(), 10)->empty());
  EXPECT_TRUE(reader_->runs(id<SessionId>())->empty());
  EXPECT_TRUE(reader_->approvals(id<SessionId>())->empty());
  EXPECT_TRUE(reader_->approvals_of_user("nobody")->empty());
  EXPECT_EQ(reader_->sessions({"nobody", 10, 0})->total, 0u);
  expect_error(commit_one(SetSession{.id = id<SessionId>()}), ErrorCode::kSessionNotFound);
  expect_error(commit_one(RemoveSession{id<SessionId>()}), ErrorCode::kSessionNotFound);
  expect_error(commit_one(an_interrupt(id<RunId>())), ErrorCode::kRunNotFound);
  expect_error(commit_one(an_append({.id = id<RunId>(), .last = {1}})), ErrorCode::kRunNotFound);
}

TEST_P(RunStoreContract, SetSessionChangesWhatItNames) {
  const SessionId session = begin_session();
  const WallTime first = now();
  expect_ok(commit_one(SetSession{.id = session, .auto_approve = true, .updated_at = first}));
  EXPECT_TRUE(reader_->session(session)->auto_approve);
  EXPECT_EQ(reader_->session(session)->title, "Title");
  EXPECT_EQ(reader_->session(session)->updated_at, first);
  expect_ok(commit_one(SetSession{.id = session, .title = "Other", .updated_at = now()}));
  EXPECT_TRUE(reader_->session(session)->auto_approve);
  EXPECT_EQ(reader_->session(session)->title, "Other");
  expect_ok(commit_one(SetSession{.id = session, .auto_approve = false, .updated_at = now()}));
  EXPECT_FALSE(reader_->session(session)->auto_approve);
}

TEST_P(RunStoreContract, SessionsListLastUpdatedFirstInPages) {
  std::vector<SessionId> made;
  for (int i = 0; i < 5; ++i) made.push_back(begin_session());
  begin_session("bob");
  expect_ok(commit_one(SetSession{.id = made[1], .title = "touched", .updated_at = now()}));

  const std::vector<SessionId> expected{made[1], made[4], made[3], made[2], made[0]};
  std::vector<SessionId> seen;
  for (std::uint32_t offset = 0; offset < 6; offset += 2) {
    const auto page = reader_->sessions({"ann", 2, offset});
    ASSERT_TRUE(page);
    EXPECT_EQ(page->total, 5u);
    for (const auto& session : page->items) seen.push_back(session.id);
  }
  EXPECT_EQ(seen, expected);
  EXPECT_TRUE(reader_->sessions({"ann", 10, 5})->items.empty());
  EXPECT_EQ(reader_->sessions({"bob", 10, 0})->items.size(), 1u);
}

TEST_P(RunStoreContract, ListedSessionsAreWhole) {
  const SessionId session = begin_session();
  LiveRunView run = begin_run(session);
  Append write = an_append(run);
  write.effects.touch().usage = Usage{.input_tokens = 3, .output_tokens = 4};
  write.effects.touch().tools_approved = {"calculator"};
  write.effects.touch().approvals_opened.push_back(an_approval(run));
  append(run, write);
  const auto list = reader_->sessions({"ann", 10, 0});
  ASSERT_EQ(list->items.size(), 1u);
  const api::Session& one = list->items.front();
  EXPECT_EQ(one.active_run, run.id);
  EXPECT_EQ(one.pending_approvals, 1u);
  EXPECT_EQ(one.usage->total_tokens(), 7u);
  EXPECT_EQ(one.approved_tools, std::vector<std::string>{"calculator"});
}

TEST_P(RunStoreContract, SessionTimeMovesWhenARunStartsAndEnds) {
  const SessionId session = begin_session();
  const NewRun write = a_run(session);
  LiveRunView run = begin_run(write);
  EXPECT_EQ(reader_->session(session)->updated_at, write.run.created_at);
  append_text(run);
  EXPECT_EQ(reader_->session(session)->updated_at, write.run.created_at);
  const Append end = an_end(run);
  append(run, end);
  EXPECT_EQ(reader_->session(session)->updated_at, *end.effects->ended_at);
}

TEST_P(RunStoreContract, SessionTimeDoesNotStepBackWithTheClock) {
  const SessionId session = begin_session();
  const WallTime before = reader_->session(session)->updated_at;
  clock_.step_wall(std::chrono::hours(-1));
  begin_run(session);
  EXPECT_EQ(reader_->session(session)->updated_at, before);
}

TEST_P(RunStoreContract, SessionUsageSumsOverItsRuns) {
  const SessionId session = begin_session();
  for (int i = 0; i < 3; ++i) {
    LiveRunView run = begin_run(session);
    Append end = an_end(run);
    if (i != 1) {
      end.effects.touch().usage = Usage{.input_tokens = 10,
                                        .output_tokens = 5,
                                        .cached_input_tokens = 2,
                                        .cache_write_tokens = 3,
                                        .reasoning_tokens = 1};
    }
    append(run, end);
  }
  EXPECT_EQ(reader_->session(session)->usage, (Usage{.input_tokens = 20,
                                                     .output_tokens = 10,
                                                     .cached_input_tokens = 4,
                                                     .cache_write_tokens = 6,
                                                     .reasoning_tokens = 2}));
}

TEST_P(RunStoreContract, MessagesStandInOrderOverRuns) {
  const SessionId session = begin_session();
  std::vector<std::string> expected;
  for (int i = 0; i < 3; ++i) {
    NewRun write = a_run(session);
    write.expected_message_count = expected.size();
    expected.push_back("question " + std::to_string(i));
    write.effects.messages = {a_message(write.run.id, expected.back())};
    LiveRunView run = begin_run(write);
    Append end = an_end(run);
    for (const char* part : {"a", "b"}) {
      expected.push_back(part);
      end.effects.touch().messages.push_back(a_message(run.id, part));
    }
    append(run, end);
  }
  for (int i = 0; i < 2; ++i, reopen()) {
    const auto messages = reader_->messages(session, 100);
    ASSERT_EQ(messages->size(), expected.size());
    for (std::size_t at = 0; at < expected.size(); ++at) EXPECT_EQ((*messages)[at].content, expected[at]);
    EXPECT_EQ(reader_->messages(session, 2)->size(), 2u);
    EXPECT_EQ(reader_->messages(session, 2)->front().content, "question 0");
    EXPECT_EQ(reader_->session(session)->message_count, expected.size());
    EXPECT_EQ(messages->front().role, "user");
  }
}

TEST_P(RunStoreContract, RemoveSessionRefusesAnUnfinishedRun) {
  const SessionId session = begin_session();
  LiveRunView run = begin_run(session);
  expect_error(commit_one(RemoveSession{session}), ErrorCode::kInvalidState);
  EXPECT_TRUE(reader_->session(session));
  end_run(run);
  expect_ok(commit_one(RemoveSession{session}));
}

TEST_P(RunStoreContract, RemoveSessionDeletesEverythingOfItAndNothingElse) {
  const SessionId session = begin_session();
  const SessionId other = begin_session();
  const LiveRunView others_run = begin_run(other);
  NewRun write = a_run(session);
  write.idempotency_key = "key";
  write.effects.messages = {a_message(write.run.id, "hello")};
  LiveRunView run = begin_run(write);
  const api::Approval approval = open_approval(run);
  expect_ok(commit_one(a_decision(approval)));
  end_run(run);
  expect_ok(commit_one(RemoveSession{session}));

  for (int i = 0; i < 2; ++i, reopen()) {
    expect_error(reader_->session(session), ErrorCode::kSessionNotFound);
    expect_error(reader_->run(run.id), ErrorCode::kRunNotFound);
    expect_error(reader_->records(run.id), ErrorCode::kRunNotFound);
    expect_error(reader_->approval(approval.id), ErrorCode::kApprovalNotFound);
    EXPECT_TRUE(reader_->messages(session, 10)->empty());
    EXPECT_TRUE(reader_->runs(session)->empty());
    EXPECT_EQ(reader_->sessions({"ann", 10, 0})->total, 1u);
    EXPECT_TRUE(reader_->run(others_run.id));
  }
  write.run.id = id<RunId>();
  expect_error(commit_one(write), ErrorCode::kSessionNotFound);
  expect_error(commit_one(an_append(run)), ErrorCode::kRunNotFound);
}

TEST_P(RunStoreContract, RefusedWriteDoesNotDisturbTheOthers) {
  const SessionId session = begin_session();
  LiveRunView run = begin_run(session);
  Append stale = an_append(run);
  stale.follows = {7};
  Append twice = an_append(run);  // its second approval repeats the id of the first: nothing of it may stay
  twice.effects.touch().messages = {a_message(run.id, "must not stay")};
  twice.effects.touch().approvals_opened = {an_approval(run)};
  twice.effects.touch().approvals_opened.push_back(twice.effects.touch().approvals_opened.front());
  Append good = an_append(run, "good");
  LiveRunView after = run;
  after.last = run.last.next();
  const Append better = an_append(after, "better");
  const api::Session added = a_session();
  const auto outcomes = commit({NewSession{added}, stale, a_run(session), twice, good, NewSession{added}, better});
  ASSERT_EQ(outcomes.size(), 7u);
  expect_ok(outcomes[0]);
  expect_error(outcomes[1], ErrorCode::kFenced);
  expect_error(outcomes[2], ErrorCode::kActiveRunExists);
  EXPECT_FALSE(outcomes[3]);
  expect_ok(outcomes[4]);
  EXPECT_FALSE(outcomes[5]);
  expect_ok(outcomes[6]);
  EXPECT_TRUE(reader_->session(added.id));
  EXPECT_EQ(reader_->session(session)->message_count, 0u);
  EXPECT_EQ(reader_->session(session)->pending_approvals, 0u);
  reopen();
  const auto claimed = store_->claim_runs("server-2");
  ASSERT_EQ(claimed->size(), 1u);
  EXPECT_EQ(claimed->front().run.last, Sequence{3});
  EXPECT_EQ(claimed->front().records, run.records + good.records + better.records);
}

TEST_P(RunStoreContract, AnEmptyCommitIsNothing) {
  EXPECT_TRUE(commit({}).empty());
}

TEST_P(RunStoreContract, TheNewestIdIsTheOneThatWasMadeLast) {
  EXPECT_TRUE(store_->newest_id()->is_nil());
  const SessionId session = begin_session();
  EXPECT_EQ(*store_->newest_id(), session.value);
  LiveRunView run = begin_run(session);
  EXPECT_EQ(*store_->newest_id(), run.id.value);
  const api::Approval approval = open_approval(run);
  for (int i = 0; i < 2; ++i, reopen()) EXPECT_EQ(*store_->newest_id(), approval.id.value);
}

}  // namespace braidlog::testing
