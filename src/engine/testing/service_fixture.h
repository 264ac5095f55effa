// A service over two threads and a store in memory. Another server on the same tables is what comes after a restart.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/testing/fake_loop.h"
#include "engine/service.h"
#include "engine/testing/fakes.h"
#include "event/fold.h"
#include "port/testing/memory_run_store.h"
#include "runlog/testing/inline_store.h"

namespace braidlog::testing {

// Files of all sessions together: which session they are in is the workspace's own test.
class FewFiles final : public Workspace {
 public:
  Result<api::FileContent> read(SessionId, std::string_view path, std::size_t bytes_max) override {
    const auto at = files.find(path);
    if (at == files.end()) return fail(ErrorCode::kFileNotFound, "none");
    if (at->second.size() > bytes_max) return fail(ErrorCode::kTooLarge, "too large");
    return api::FileContent{{at->first, at->second.size(), {}}, at->second};
  }
  Result<api::FileInfo> write(SessionId, std::string_view path, std::string_view content) override {
    files[std::string(path)] = content;
    return api::FileInfo{std::string(path), content.size(), {}};
  }
  Status rename(SessionId, std::string_view, std::string_view) override {
    return fail(ErrorCode::kFileNotFound, "none");
  }
  Status remove(SessionId, std::string_view path) override {
    if (files.erase(std::string(path)) == 0) return fail(ErrorCode::kFileNotFound, "none");
    return {};
  }
  Result<api::FileList> list(SessionId) override { return api::FileList{}; }
  Status remove_all(SessionId) override {
    files.clear();
    return {};
  }

  std::map<std::string, std::string, std::less<>> files;
};

class OneAgent final : public AgentCatalog {
 public:
  std::shared_ptr<const RunnableAgent> find(std::string_view name) const override {
    return agent && agent->agent.name == name ? agent : nullptr;
  }
  std::vector<std::shared_ptr<const RunnableAgent>> all() const override { return {}; }
  CatalogView view() const override { return {{{agent, file, "name: fake"}}, {{"bad.yaml", {"bad.yaml:1:1: wrong"}}}}; }
  std::string default_for(std::string_view) const override { return "fake"; }

  std::shared_ptr<const RunnableAgent> agent;
  std::optional<std::string> file;
};

// A server with two threads. Another one on the same tables is what comes after a restart.
struct TestServer {
  TestServer(testing::MemoryTables& tables, const AgentCatalog& agents, Workspace& files)
      : store(tables),
        access(store, first),
        engine{access, Shards({&one, &two}), agents, files, pool, limits, "server"},
        one(first, access, limits),
        two(second, access, limits) {
    pass_on_turns(engine);
  }

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
  Engine engine;  // outlives the runs: they give their places in its budgets back
  RunHost one, two;
  EngineService service{engine, one}, second_service{engine, two};
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
  // What the service answers.
  template <class Command>
  Result<typename Command::ReplyValue> ask(TestServer& server, Command command, const api::Caller& caller) {
    std::optional<Result<typename Command::ReplyValue>> answer;
    server.service.handle(caller, std::move(command), [&](auto result) { answer.emplace(std::move(result)); });
    server.run();
    EXPECT_TRUE(answer) << "no answer";
    return answer ? std::move(*answer) : fail(ErrorCode::kInternal, "no answer");
  }
  template <class Command>
  Result<typename Command::ReplyValue> ask(TestServer& server, Command command) {
    return ask(server, std::move(command), caller_);
  }
  RunState state_of(RunId id) { return *fold_records(tables_.runs.at(id).records); }

  api::Caller caller_{"ann", false};
  testing::MemoryTables tables_;
  testing::FakeAgent fake_;
  OneAgent agents_;
  FewFiles files_;
};

}  // namespace braidlog::testing
