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

}  // namespace
}  // namespace braidlog
