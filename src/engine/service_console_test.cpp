// What the console asks: runs of all sessions, what agents are made of, how the server is doing.
#include "engine/testing/service_fixture.h"

namespace braidlog {
namespace {

using testing::ServiceTest;

class ServiceConsoleTest : public ServiceTest {
 protected:
  const api::Caller admin_{"ruth", true};
};

TEST_F(ServiceConsoleTest, FindsTheCallersRunsWithTheBeginningOfTheirText) {
  auto server = make_server();
  const SessionId session = make_session(server);
  api::StartRun command;
  command.session_id = session;
  std::string text;
  for (int i = 0; i < 300; ++i) text += "ä";
  command.text = text;
  const RunId run = ask(server, command)->run_id;
  const auto found = ask(server, api::FindRuns{});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->items.size(), 1u);
  EXPECT_EQ(found->items[0].run.id, run);
  EXPECT_EQ(found->items[0].text, text.substr(0, 400)) << "200 characters of two bytes";
  EXPECT_EQ(found->items[0].session_title, "New Session");
  EXPECT_EQ(ask(server, api::FindRuns{.status = RunStatus::kCompleted})->items.size(), 0u);
  EXPECT_EQ(ask(server, api::FindRuns{.words = "new sess"})->items.size(), 1u);
  EXPECT_EQ(ask(server, api::FindRuns{.agent = "other"})->items.size(), 0u);

  const api::Caller bob{"bob", false};
  EXPECT_EQ(ask(server, api::FindRuns{}, bob)->items.size(), 0u);
  EXPECT_EQ(ask(server, api::FindRuns{.everybody = true}, bob)->items.size(), 0u) << "for admins alone";
  EXPECT_EQ(ask(server, api::FindRuns{.session_id = session}, bob)->items.size(), 0u);
  EXPECT_EQ(ask(server, api::FindRuns{}, admin_)->items.size(), 0u) << "who asks for their own";
  EXPECT_EQ(ask(server, api::FindRuns{.everybody = true}, admin_)->items.size(), 1u);
}

TEST_F(ServiceConsoleTest, WhatAgentsAreMadeOf) {
  fake_.agent.tools = {"look", "change", "set_tasks", "final_answer"};
  fake_.agent.approval.tools = {{"look", api::Policy::kDeny}};
  agents_.agent = fake_.make();
  agents_.file = "fake.yaml";
  auto server = make_server();
  const auto info = ask(server, api::ListAgents{{"runs", "chat"}}, admin_);
  ASSERT_TRUE(info);
  ASSERT_EQ(info->agents.size(), 1u);
  const auto& agent = info->agents[0];
  EXPECT_EQ(agent.agent.name, "fake");
  EXPECT_EQ(agent.default_of, (std::vector<std::string>{"runs", "chat"}));
  EXPECT_EQ(agent.provider, fake_.model->provider());
  EXPECT_EQ(agent.model, fake_.model->name());
  EXPECT_EQ(agent.file, "fake.yaml");
  EXPECT_EQ(agent.yaml, "name: fake");
  ASSERT_EQ(info->faults.size(), 1u);
  ASSERT_EQ(agent.tools.size(), 3u) << "final_answer comes with the way of a run, not with the agent";
  EXPECT_EQ(agent.tools[0].name, "look");
  EXPECT_EQ(agent.tools[0].policy, api::Policy::kDeny) << "a rule of its own counts although it only reads";
  EXPECT_EQ(agent.tools[1].name, "change");
  EXPECT_EQ(agent.tools[1].policy, fake_.agent.approval.fallback);
  EXPECT_EQ(agent.tools[2].name, "set_tasks");
  EXPECT_EQ(agent.tools[2].policy, api::Policy::kAuto);

  const auto told = ask(server, api::ListAgents{});
  EXPECT_FALSE(told->agents[0].yaml) << "for admins alone";
  EXPECT_TRUE(told->faults.empty());
  EXPECT_TRUE(told->agents[0].default_of.empty());
}

TEST_F(ServiceConsoleTest, AToolThatOnlyReadsPassesWithoutARule) {
  fake_.agent.tools = {"look", "change"};
  fake_.agent.approval.fallback = api::Policy::kDeny;
  agents_.agent = fake_.make();
  auto server = make_server();
  const auto info = ask(server, api::ListAgents{});
  EXPECT_EQ(info->agents[0].tools[0].policy, api::Policy::kAuto);
  EXPECT_EQ(info->agents[0].tools[1].policy, api::Policy::kDeny);
  EXPECT_FALSE(info->agents[0].file);
}

TEST_F(ServiceConsoleTest, FiguresAreForAdmins) {
  struct Counted final : ServerStatus {
    ServerFigures figures() const override { return {.at = {}, .version = "1", .runs_open = 7}; }
  } counted;
  auto server = make_server();
  EXPECT_EQ(ask(server, api::GetSystem{}, admin_).error().code, ErrorCode::kUnavailable);
  server.engine.status = &counted;
  EXPECT_EQ(ask(server, api::GetSystem{}, admin_)->runs_open, 7u);
  EXPECT_EQ(ask(server, api::GetSystem{}).error().code, ErrorCode::kForbidden);
}

}  // namespace
}  // namespace braidlog
