// Commands through the service, and what a restart makes of the runs.
#include "engine/testing/service_fixture.h"

namespace braidlog {
namespace {

using testing::ServiceTest;

TEST_F(ServiceTest, AutoApproveIsAcknowledgedWhenEveryThreadHasHeardIt) {
  auto server = make_server();
  const SessionId session = make_session(server);
  bool told = false;
  server.service.handle(caller_, api::SetAutoApprove{session, false}, [&](Result<api::AutoApprove>) { told = true; });
  server.first.run_ready();
  EXPECT_FALSE(told) << "the second thread may still let a tool run on the strength of it";
  server.run();
  EXPECT_TRUE(told);
}

TEST_F(ServiceTest, ARunWithoutItsAgentIsClosedWhereverItStood) {
  RunId run;
  {
    auto server = make_server();
    run = start_run(server, make_session(server));
    fake_.model->current->on_text("half a sen");
    server.run();
  }
  agents_.agent = nullptr;
  auto server = make_server();
  ASSERT_TRUE(recover_runs(server.engine, server.store));
  const RunState state = state_of(run);
  EXPECT_EQ(state.status(), RunStatus::kFailed);
  EXPECT_FALSE(state.text_open);
  EXPECT_FALSE(state.is_thinking());
  EXPECT_EQ(state.text, "half a sen");
}

TEST_F(ServiceTest, ARunWithoutItsAgentKeepsAnAcknowledgedInterrupt) {
  RunId run;
  {
    auto server = make_server();
    run = start_run(server, make_session(server));
    fake_.model->current->on_tool_call(0, "p", "look");
    fake_.model->current->on_finished({.reason = FinishReason::kToolCalls});
    server.run();
    bool told = false;
    server.service.handle(caller_, api::Interrupt{.id = run}, [&](Result<api::Run>) { told = true; });
    server.run();
    ASSERT_TRUE(told);
    ASSERT_EQ(state_of(run).status(), RunStatus::kInterrupting);
  }
  agents_.agent = nullptr;
  auto server = make_server();
  ASSERT_TRUE(recover_runs(server.engine, server.store));
  EXPECT_EQ(state_of(run).status(), RunStatus::kInterrupted);
  EXPECT_EQ(state_of(run).calls.at(0).status, ToolStatus::kOutcomeUnknown);
}

// ---- the first run of a session that was made a moment ago ----

TEST_F(ServiceTest, TheFirstRunOfANewSessionReadsNothing) {
  auto server = make_server();
  const SessionId session = make_session(server);
  const int reads = server.access.reads;
  const RunId first = start_run(server, session);
  EXPECT_EQ(server.access.reads, reads);
  EXPECT_EQ(state_of(first).begun.message_position, 1u);
  fake_.model->current->on_text("Hello");
  fake_.model->current->on_finished({});
  server.run();
  const RunId second = start_run(server, session);
  EXPECT_GT(server.access.reads, reads);
  EXPECT_EQ(state_of(second).begun.message_position, 3u);
}

TEST_F(ServiceTest, TheFirstRunOfARenamedSessionHasItsNewTitle) {
  auto server = make_server();
  const SessionId session = make_session(server);
  ASSERT_TRUE(ask(server, api::RenameSession{session, "Rivers"}));
  EXPECT_EQ(state_of(start_run(server, session)).title, "Rivers");
}

TEST_F(ServiceTest, ASessionThatOthersChangedMeanwhileIsReadAgain) {
  auto server = make_server();
  const SessionId session = make_session(server);
  auto other = make_server();  // on the same tables
  start_run(other, session);
  fake_.model->current->on_text("Hello");
  fake_.model->current->on_finished({});
  other.run();
  EXPECT_EQ(state_of(start_run(server, session)).begun.message_position, 3u);
}

TEST_F(ServiceTest, ASessionThatOthersDeletedMeanwhileIsNotFound) {
  auto server = make_server();
  const SessionId strict = make_session(server), lenient = make_session(server);
  auto other = make_server();
  ASSERT_TRUE(ask(other, api::DeleteSession{strict}));
  ASSERT_TRUE(ask(other, api::DeleteSession{lenient}));
  api::StartRun command;
  command.text = "hello";
  command.session_id = strict;
  const auto refused = ask(server, command);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kSessionNotFound);
  command.session_id = lenient;
  command.else_new = true;
  EXPECT_TRUE(ask(server, command));
}

TEST_F(ServiceTest, ANewSessionOfSomebodyElseIsNotFound) {
  auto server = make_server();
  api::StartRun command;
  command.text = "hello";
  command.session_id = make_session(server);
  api::Caller stranger = caller_;
  stranger.user_id = "somebody else";
  const auto refused = ask(server, command, stranger);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kSessionNotFound);
  EXPECT_TRUE(ask(server, command));
}

}  // namespace
}  // namespace braidlog
