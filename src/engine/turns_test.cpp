// Turns that wait, sessions that are made with their first run, and what ends with its client.
#include "engine/testing/service_fixture.h"

namespace braidlog {
namespace {

using testing::ServiceTest;
using testing::TestServer;

class TurnsTest : public ServiceTest {
 protected:
  api::StartRun turn(std::optional<SessionId> session, std::string text) {
    api::StartRun command;
    command.session_id = session;
    command.contract = "chat";
    command.text = std::move(text);
    command.waits = true;
    command.stops_with_client = true;
    command.else_new = true;
    return command;
  }
  void answer(TestServer& server, std::string_view text) {
    fake_.model->current->on_text(text);
    fake_.model->current->on_finished({});
    server.run();
  }
  std::vector<std::string> said(SessionId session) {
    std::vector<std::string> texts;
    for (const auto& message : tables_.sessions.at(session).messages) texts.push_back(message.content);
    return texts;
  }
};

TEST_F(TurnsTest, TurnsFollowEachOtherAndEachReadsTheOnesBefore) {
  auto server = make_server();
  const SessionId session = make_session(server);
  const RunId first = ask(server, turn(session, "one"))->run_id;
  const RunId second = ask(server, turn(session, "two"))->run_id;
  RunId third;  // taken by the other thread
  server.second_service.handle(caller_, turn(session, "three"), [&](auto run) { third = run->run_id; });
  server.run();
  EXPECT_EQ(fake_.model->calls, 1);
  EXPECT_EQ(state_of(second).status(), RunStatus::kQueued);
  EXPECT_EQ(said(session), (std::vector<std::string>{"one"})) << "a turn's message is said when it begins";
  EXPECT_EQ(ask(server, api::GetRun{second})->status, RunStatus::kQueued);

  answer(server, "first");
  EXPECT_EQ(state_of(first).status(), RunStatus::kCompleted);
  EXPECT_EQ(state_of(second).status(), RunStatus::kRunning);
  EXPECT_EQ(state_of(second).begun.message_position, 3u);
  ASSERT_EQ(fake_.model->requests.back().messages.size(), 3u);
  EXPECT_EQ(fake_.model->requests.back().messages[1].text, "first");
  answer(server, "second");
  answer(server, "third");
  EXPECT_EQ(state_of(third).status(), RunStatus::kCompleted);
  EXPECT_EQ(said(session), (std::vector<std::string>{"one", "first", "two", "second", "three", "third"}));
}

TEST_F(TurnsTest, TurnsFollowEachOtherWhateverTheClockSays) {
  auto server = make_server();
  const SessionId session = make_session(server);
  ask(server, turn(session, "one"));
  const RunId second = ask(server, turn(session, "two"))->run_id;
  server.clock.step_wall(std::chrono::hours(-1));
  RunId third;  // taken by the other thread, whose ids would now be before those
  server.second_service.handle(caller_, turn(session, "three"), [&](auto run) { third = run->run_id; });
  server.run();
  EXPECT_GT(third, second);
  answer(server, "first");
  EXPECT_EQ(state_of(second).status(), RunStatus::kRunning);
  EXPECT_EQ(state_of(third).status(), RunStatus::kQueued);
}

TEST_F(TurnsTest, AtMostSoManyWait) {
  auto server = make_server();
  const SessionId session = make_session(server);
  ask(server, turn(session, "one"));
  for (std::size_t i = 0; i < server.limits.waiting_turns_max; ++i) EXPECT_TRUE(ask(server, turn(session, "more")));
  EXPECT_EQ(ask(server, turn(session, "one too many")).error().code, ErrorCode::kRateLimited);
  auto other = turn(session, "in another contract");
  other.waits = false;
  EXPECT_EQ(ask(server, other).error().code, ErrorCode::kActiveRunExists);
}

TEST_F(TurnsTest, AWaitingTurnWhoseClientGoesIsDropped) {
  auto server = make_server();
  const SessionId session = make_session(server);
  ask(server, turn(session, "one"));
  const RunId second = ask(server, turn(session, "two"))->run_id;
  const RunId third = ask(server, turn(session, "three"))->run_id;
  EXPECT_TRUE(ask(server, api::Interrupt{.id = second, .session_id = {}, .reason = "client_gone"}));
  EXPECT_EQ(state_of(second).status(), RunStatus::kInterrupted);
  EXPECT_TRUE(state_of(second).is_begun) << "every log has a start";
  EXPECT_EQ(fake_.model->calls, 1) << "the first is still at work";
  answer(server, "first");
  EXPECT_EQ(state_of(third).status(), RunStatus::kRunning);
  EXPECT_EQ(said(session), (std::vector<std::string>{"one", "first", "three"}));
}

TEST_F(TurnsTest, ADeletedSessionTakesItsWaitingTurnsAlong) {
  auto server = make_server();
  const SessionId session = make_session(server);
  ask(server, turn(session, "one"));
  ask(server, turn(session, "two"));
  EXPECT_TRUE(ask(server, api::DeleteSession{session}));
  EXPECT_EQ(fake_.model->calls, 1) << "no waiting turn begins on the way";
  EXPECT_TRUE(tables_.sessions.empty());
  EXPECT_TRUE(tables_.runs.empty());
}

TEST_F(TurnsTest, AfterARestartTheirClientsAreGone) {
  RunId first, second, steady;
  SessionId session;
  {
    auto server = make_server();
    session = make_session(server);
    first = ask(server, turn(session, "one"))->run_id;
    fake_.model->current->on_text("half");
    server.run();
    second = ask(server, turn(session, "two"))->run_id;
    steady = start_run(server, make_session(server));
  }
  auto server = make_server();
  ASSERT_TRUE(recover_runs(server.engine, server.store));
  server.run();
  EXPECT_EQ(state_of(first).status(), RunStatus::kInterrupted);
  EXPECT_EQ(state_of(second).status(), RunStatus::kInterrupted);
  EXPECT_EQ(state_of(steady).status(), RunStatus::kRunning) << "a run that does not stop with its client goes on";
  EXPECT_EQ(said(session), (std::vector<std::string>{"one", "half"})) << "the text so far is kept";
}

TEST_F(TurnsTest, ARunStopsWhenItsClientIsGoneAndNeedsNoOrderForThat) {
  auto server = make_server();
  const SessionId session = make_session(server);
  const RunId run = ask(server, turn(session, "one"))->run_id;
  const RunId waits = ask(server, turn(session, "two"))->run_id;
  for (const RunId id : {waits, run}) server.engine.shards.of(id).client_gone(id, "ann");
  server.run();
  for (const RunId id : {waits, run}) EXPECT_EQ(state_of(id).interrupt_reason, "client_gone");
  EXPECT_EQ(tables_.last_order_id, 0u) << "a disk that takes no orders would lose it";
  EXPECT_EQ(said(session), (std::vector<std::string>{"one"}));
  server.engine.shards.of(run).client_gone(run, "ann");  // over already
  server.run();
}

// Two ends can call the same run, and the second call can come when the disk cannot be read any more.
TEST_F(TurnsTest, ATurnThatHasBegunIsNotDroppedByASecondCall) {
  auto server = make_server();
  const SessionId session = make_session(server);
  const RunId run = ask(server, turn(session, "one"))->run_id;
  tables_.sessions.erase(session);  // nothing can be read of it
  server.engine.shards.of(run).begin_turn(run);
  server.run();
  EXPECT_EQ(state_of(run).status(), RunStatus::kRunning);
}

TEST_F(TurnsTest, ATurnThatWaitedHeardThatPeopleAreToBeAsked) {
  auto server = make_server();
  const SessionId session = make_session(server);
  tables_.sessions.at(session).session.auto_approve = true;
  ask(server, turn(session, "one"));
  const RunId second = ask(server, turn(session, "two"))->run_id;
  // As if the session were read for the next turn just before it is changed.
  for (RunHost* host : server.engine.shards.all()) host->set_auto_approve(session, false);
  answer(server, "first");
  fake_.model->current->on_tool_call(0, "call", "change");
  fake_.model->current->on_finished({.reason = FinishReason::kToolCalls});
  server.run();
  EXPECT_EQ(state_of(second).status(), RunStatus::kWaitingApproval);
  EXPECT_EQ(fake_.writes->starts, 0);
}

TEST_F(TurnsTest, TheServerStopsRunsWhoseClientsItLeaves) {
  auto server = make_server();
  const RunId run = ask(server, turn(make_session(server), "one"))->run_id;
  const RunId steady = start_run(server, make_session(server));
  for (RunHost* host : server.engine.shards.all()) host->stop_client_runs("server_stopping");
  server.run();
  EXPECT_EQ(state_of(run).status(), RunStatus::kInterrupted);
  EXPECT_EQ(state_of(steady).status(), RunStatus::kRunning);
}

TEST_F(TurnsTest, ATurnThatWaitsDoesNotBeginBecauseTheServerStopsTheOneBefore) {
  auto server = make_server();
  const SessionId session = make_session(server);
  const RunId run = ask(server, turn(session, "one"))->run_id;
  const RunId waits = ask(server, turn(session, "two"))->run_id;
  for (RunHost* host : server.engine.shards.all()) host->stop_waiting_client_runs("server_stopping");
  EXPECT_EQ(state_of(run).status(), RunStatus::kRunning);
  for (RunHost* host : server.engine.shards.all()) {
    host->stop_client_runs("server_stopping");
    server.run();
  }
  EXPECT_EQ(state_of(run).status(), RunStatus::kInterrupted);
  EXPECT_EQ(state_of(waits).status(), RunStatus::kInterrupted);
  EXPECT_EQ(said(session), (std::vector<std::string>{"one"})) << "a turn's message is said when it begins";
}

TEST_F(TurnsTest, ANewSessionComesWithItsFirstRun) {
  auto server = make_server();
  auto command = turn(std::nullopt, "hello");
  command.title = "Hello";
  command.idempotency_key = "key";
  const RunId run = ask(server, command)->run_id;
  ASSERT_EQ(tables_.sessions.size(), 1u);
  EXPECT_EQ(tables_.sessions.begin()->second.session.title, "Hello");
  EXPECT_EQ(state_of(run).begun.title, "Hello");
  const auto again = ask(server, command);
  EXPECT_EQ(again->run_id, run);
  EXPECT_TRUE(again->existed);
  EXPECT_EQ(tables_.sessions.size(), 1u);
  command.fingerprint = "other";
  EXPECT_EQ(ask(server, command).error().code, ErrorCode::kIdempotencyConflict);
  EXPECT_FALSE(ask(server, command, api::Caller{"bob"})->existed) << "the keys of another user";
}

TEST_F(TurnsTest, AnotherUsersSessionIsNone) {
  auto server = make_server();
  const SessionId session = make_session(server);
  auto command = turn(session, "hello");
  const api::Caller bob{"bob"}, admin{"root", true};
  EXPECT_NE(tables_.runs.at(ask(server, command, bob)->run_id).run.session_id, session);
  EXPECT_NE(tables_.runs.at(ask(server, command, admin)->run_id).run.session_id, session);
  command.else_new = false;
  EXPECT_EQ(ask(server, command, bob).error().code, ErrorCode::kSessionNotFound);
  EXPECT_EQ(ask(server, command, admin).error().code, ErrorCode::kSessionNotFound);
}

TEST_F(TurnsTest, TheSameTextJustNowMeansTheSameRun) {
  auto server = make_server();
  const SessionId session = make_session(server);
  const RunId run = ask(server, turn(session, "hello"))->run_id;
  auto command = turn(session, "hello");
  command.attaches = true;
  EXPECT_EQ(ask(server, command)->run_id, run);
  command.text = "something else";
  EXPECT_NE(ask(server, command)->run_id, run);
  server.clock.advance(server.limits.same_text_window);
  command.text = "hello";
  EXPECT_NE(ask(server, command)->run_id, run) << "too long ago";
}

TEST_F(TurnsTest, FilesAreKeptAndReachTheModel) {
  auto server = make_server();
  const SessionId session = make_session(server);
  files_.files["notes.txt"] = "other notes";
  auto command = turn(session, "look at this");
  command.files = {{"notes.txt", "text/plain", "my notes"}};
  const RunId run = ask(server, command)->run_id;
  EXPECT_EQ(files_.files.at("notes (2).txt"), "my notes");
  const std::string heading = "look at this\n\n## Attached file: notes (2).txt\n\nmy notes";
  EXPECT_EQ(fake_.model->requests.back().messages.back().text, heading);
  EXPECT_EQ(said(session), (std::vector<std::string>{"look at this"})) << "a file is not what was said";
  EXPECT_EQ(state_of(run).request.attachments.at(0).bytes, 8u);
  answer(server, "seen");
  start_run(server, session);
  EXPECT_EQ(fake_.model->requests.back().messages.front().text, heading) << "later turns know the file";
}

TEST_F(TurnsTest, ARefusedMessageLeavesNoFiles) {
  auto server = make_server();
  const SessionId session = make_session(server);
  files_.files["there.txt"] = "it was there before";
  ask(server, turn(session, "one"));
  auto command = turn(session, "refused");
  command.waits = false;
  command.files = {{"there.txt", "text/plain", "it was there before"}, {"new.txt", "text/plain", "new"}};
  EXPECT_EQ(ask(server, command).error().code, ErrorCode::kActiveRunExists);
  EXPECT_EQ(files_.files.size(), 1u);
  EXPECT_TRUE(files_.files.contains("there.txt"));
}

TEST_F(TurnsTest, AUserHasABudget) {
  auto server = make_server();
  server.limits.user_runs_max = 2;
  api::Caller ann{"ann"};
  ann.kind = api::CredentialKind::kKey;
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(ask(server, turn(std::nullopt, "hello"), ann));
  const auto refused = ask(server, turn(std::nullopt, "hello"), ann);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kRateLimited);
  EXPECT_FALSE(refused.error().subject.empty()) << "says when to come back";
  answer(server, "done");
  EXPECT_TRUE(ask(server, turn(std::nullopt, "hello"), ann)) << "an end makes room";
  api::Caller bob{"bob"};
  bob.kind = api::CredentialKind::kCookie;
  EXPECT_TRUE(ask(server, turn(std::nullopt, "hello"), bob)) << "others do not notice";
}

TEST_F(TurnsTest, TheBudgetIsLookedAtLast) {
  auto server = make_server();
  server.limits.user_runs_max = 1;
  api::Caller ann{"ann"};
  ann.kind = api::CredentialKind::kKey;
  auto command = turn(std::nullopt, "hello");
  command.idempotency_key = "once";
  const RunId run = ask(server, command, ann)->run_id;
  EXPECT_EQ(ask(server, command, ann)->run_id, run) << "a key that was used is no new run";
  command.fingerprint = "another text";
  EXPECT_EQ(ask(server, command, ann).error().code, ErrorCode::kIdempotencyConflict);
  command.idempotency_key = "twice";
  const auto refused = ask(server, command, ann);
  EXPECT_EQ(refused.error().code, ErrorCode::kRateLimited);
  EXPECT_EQ(refused.error().subject, "5");
  command.session_id = SessionId{Id128{{9}}};
  command.else_new = false;
  EXPECT_EQ(ask(server, command, ann).error().code, ErrorCode::kSessionNotFound);
}

TEST_F(TurnsTest, ANewTitleReachesTheRun) {
  auto server = make_server();
  const SessionId session = make_session(server);
  const RunId run = start_run(server, session);
  EXPECT_EQ(ask(server, api::RenameSession{session, "Renamed"})->title, "Renamed");
  answer(server, "done");
  EXPECT_EQ(state_of(run).begun.title, "New Session");
  EXPECT_EQ(state_of(run).title, "Renamed");
}

TEST_F(TurnsTest, ASessionForEveryContractFixesNoAgent) {
  auto server = make_server();
  EXPECT_EQ(ask(server, api::CreateSession{.fixes_agent = false})->agent, "");
  EXPECT_EQ(ask(server, api::CreateSession{})->agent, "fake");
}

TEST_F(TurnsTest, ASmallBudgetIsNotNone) {
  auto server = make_server();
  server.limits.user_run_starts_per_minute_max = 1;
  api::Caller ann{"ann"};
  ann.kind = api::CredentialKind::kKey;
  EXPECT_TRUE(ask(server, turn(std::nullopt, "hello"), ann));
  const auto refused = ask(server, turn(std::nullopt, "hello"), ann);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().subject, "60");
  server.clock.advance(std::chrono::minutes(1));
  EXPECT_TRUE(ask(server, turn(std::nullopt, "hello"), ann));
}

TEST_F(TurnsTest, ConversationsComeInPages) {
  auto server = make_server();
  for (int i = 0; i < 5; ++i) {
    server.clock.advance(std::chrono::milliseconds(10));
    make_session(server);
  }
  std::vector<SessionId> seen;
  std::string cursor;
  do {
    const auto page = ask(server, api::ListConversations{.limit = 2, .cursor = cursor});
    ASSERT_TRUE(page);
    for (const auto& item : page->items) seen.push_back(item.session.id);
    cursor = page->next_cursor;
  } while (!cursor.empty());
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(seen, std::greater{})) << "the newest first";
  EXPECT_EQ(ask(server, api::ListConversations{.cursor = "nonsense"}).error().code, ErrorCode::kBadField);
  EXPECT_TRUE(ask(server, api::ListConversations{.everybody = true}, api::Caller{"bob"})->items.empty());
  EXPECT_EQ(ask(server, api::ListConversations{.everybody = true}, api::Caller{"root", true})->items.size(), 5u);
}

}  // namespace
}  // namespace braidlog
