// Commands through the service, over two threads and a store in memory, and what a restart makes of the runs.
#include "engine/service.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"
#include "engine/testing/fakes.h"
#include "event/fold.h"
#include "port/testing/memory_run_store.h"
#include "runlog/testing/inline_store.h"

namespace braidlog {
namespace {

using testing::FakeLoop;

class NoFiles final : public Workspace {
 public:
  Result<api::FileContent> read(SessionId, std::string_view, std::size_t) override { return none(); }
  Result<api::FileInfo> write(SessionId, std::string_view, std::string_view) override { return none(); }
  Status rename(SessionId, std::string_view, std::string_view) override { return none(); }
  Result<api::FileList> list(SessionId) override { return api::FileList{}; }
  Status remove_all(SessionId) override { return {}; }

 private:
  static tl::unexpected<Error> none() { return fail(ErrorCode::kFileNotFound, "none"); }
};

class OneAgent final : public AgentCatalog {
 public:
  std::shared_ptr<const RunnableAgent> find(std::string_view name) const override {
    return agent && agent->agent.name == name ? agent : nullptr;
  }
  std::vector<std::shared_ptr<const RunnableAgent>> all() const override { return {}; }
  std::string default_for(std::string_view) const override { return "fake"; }

  std::shared_ptr<const RunnableAgent> agent;
};

// A server with two threads. Another one on the same tables is what comes after a restart.
struct TestServer {
  TestServer(testing::MemoryTables& tables, const AgentCatalog& agents, Workspace& files)
      : store(tables),
        access(store, first),
        one(first, access, limits),
        two(second, access, limits),
        engine{access, Shards({&one, &two}), agents, files, pool, limits, "server"} {}

  // Everything on both threads, until nothing moves.
  void run() {
    while (!first.idle() || !second.idle()) {
      first.run_ready();
      second.run_ready();
    }
  }

  testing::FakeClock clock;
  FakeLoop first{clock, 0}, second{clock, 1};
  testing::MemoryRunStore store;
  testing::InlineStore access;
  testing::InlinePool pool;
  Limits limits;
  RunHost one, two;
  Engine engine;
  EngineService service{engine, one};
};

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() { agents_.agent = fake_.make(); }

  TestServer make_server() { return {tables_, agents_, files_}; }
  SessionId make_session(TestServer& server) {
    SessionId id;
    server.service.handle(caller_, api::CreateSession{}, [&](Result<api::Session> made) { id = made->id; });
    server.run();
    return id;
  }
  RunId start_run(TestServer& server, SessionId session) {
    RunId id;
    api::StartRun command;
    command.session_id = session;
    command.text = "hello";
    server.service.handle(caller_, command, [&](Result<api::StartedRun> started) { id = started->run_id; });
    server.run();
    return id;
  }
  RunState state_of(RunId id) { return *fold_records(tables_.runs.at(id).records); }

  api::Caller caller_{"ann", false};
  testing::MemoryTables tables_;
  testing::FakeAgent fake_;
  OneAgent agents_;
  NoFiles files_;
};

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
