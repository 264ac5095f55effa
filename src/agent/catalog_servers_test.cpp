#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "agent/catalog.h"
#include "agent/testing/catalog_fixture.h"

namespace braidlog::agent {
namespace {

using testing::FakeToolServer;
using Names = std::vector<std::string>;

constexpr const char* kOneServer = "name: a\ntools: [calculator, {mcp: {name: fs, command: [x]}}, file_read]";

class ServersTest : public testing::CatalogFixture {
 protected:
  Names tools_of(const std::string& agent) { return catalog_.find(agent)->agent.tools; }
  // Waits for the thread that brings the news.
  bool soon(const std::function<bool()>& condition) {
    for (int i = 0; i < 2'000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
  }
};

TEST_F(ServersTest, ToolsStandInThePlaceOfTheirServer) {
  servers_.when_made([](FakeToolServer& server) { server.offer({"list", "read"}); });
  put("a.yaml", kOneServer);
  ASSERT_TRUE(catalog_.load(folder_));
  const auto a = catalog_.find("a");
  EXPECT_EQ(a->agent.tools, (Names{"calculator", "fs__list", "fs__read", "file_read"}));
  ASSERT_EQ(a->tools.size(), 4u);
  EXPECT_EQ(a->tools[1]->spec().name, "fs__list");
  EXPECT_TRUE(a->find_tool("fs__read"));
  EXPECT_EQ(servers_.get("fs")->waits(), 1u);
}

TEST_F(ServersTest, AServerThatIsNotUpLeavesItsPlaceEmpty) {
  servers_.when_made([](FakeToolServer& server) { server.be_in_trouble("it said: no such package"); });
  put("a.yaml", kOneServer);
  ::testing::internal::CaptureStderr();
  ASSERT_TRUE(catalog_.load(folder_)) << "no reason not to start";
  const auto said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("level=warning"), std::string::npos) << said;
  EXPECT_NE(said.find("server=\"fs\" trouble=\"it said: no such package\""), std::string::npos) << said;
  EXPECT_EQ(tools_of("a"), (Names{"calculator", "file_read"}));
  const auto before = catalog_.find("a");
  servers_.get("fs")->offer({"read"});
  EXPECT_TRUE(soon([&] { return tools_of("a") == Names{"calculator", "fs__read", "file_read"}; }));
  EXPECT_EQ(before->agent.tools.size(), 2u) << "a run keeps what it began with";
  servers_.get("fs")->offer({"read", "write"});
  EXPECT_TRUE(soon([&] { return tools_of("a").size() == 4; }));
}

TEST_F(ServersTest, OnlyItsAgentsChange) {
  put("a.yaml", kOneServer);
  put("b.yaml", "name: b\ntools: [{mcp: {name: web, command: [y]}}]");
  ASSERT_TRUE(catalog_.load(folder_));
  const auto b = catalog_.find("b");
  const auto writer = catalog_.find("writer");
  servers_.get("fs")->offer({"read"});
  ASSERT_TRUE(soon([&] { return tools_of("a").size() == 3; }));
  EXPECT_EQ(catalog_.find("b"), b);
  EXPECT_EQ(catalog_.find("writer"), writer);
}

TEST_F(ServersTest, TheSameServerIsNotStartedAgain) {
  servers_.when_made([](FakeToolServer& server) { server.offer({"read"}); });
  put("a.yaml", kOneServer);
  put("b.yaml", "name: b\ntools: [{mcp: {name: fs, command: [x]}}]");
  ASSERT_TRUE(catalog_.load(folder_));
  EXPECT_EQ(servers_.count("fs"), 1u) << "two agents share it";
  put("a.yaml", std::string(kOneServer) + "\ndescription: new");
  (void)catalog_.reload(folder_);
  EXPECT_EQ(catalog_.find("a")->agent.description, "new");
  EXPECT_EQ(tools_of("a"), (Names{"calculator", "fs__read", "file_read"}));
  EXPECT_EQ(servers_.count("fs"), 1u);
  put("a.yaml", "name: a\ntools: [{mcp: {name: fs, command: [x, y]}}]");
  (void)catalog_.reload(folder_);
  EXPECT_EQ(servers_.count("fs"), 2u) << "another command is another server";
  EXPECT_TRUE(servers_.get("fs", 0)) << "agent b still has it";
}

TEST_F(ServersTest, AServerLivesAsLongAsSomebodyNeedsIt) {
  put("a.yaml", kOneServer);
  ASSERT_TRUE(catalog_.load(folder_));
  const auto is_gone = servers_.get("fs")->is_gone();
  put("a.yaml", "name: a");
  (void)catalog_.reload(folder_);
  EXPECT_TRUE(*is_gone);
}

TEST_F(ServersTest, AFaultyFileKeepsItsServer) {
  servers_.when_made([](FakeToolServer& server) { server.offer({"read"}); });
  put("a.yaml", kOneServer);
  ASSERT_TRUE(catalog_.load(folder_));
  put("a.yaml", "name: [");
  (void)catalog_.reload(folder_);
  servers_.get("fs")->offer({"read", "write"});
  EXPECT_TRUE(soon([&] { return tools_of("a").size() == 4; }));
  EXPECT_EQ(servers_.count("fs"), 1u);
}

TEST_F(ServersTest, NewsInTheMiddleOfALoad) {
  // It comes up while the load waits for it, on a thread of its own, and changes again before it is published.
  servers_.when_made([](FakeToolServer& server) {
    server.when_waited_for([&server] {
      std::thread([&server] { server.offer({"one"}); }).join();
      std::thread([&server] { server.offer({"two"}); }).join();
    });
  });
  put("a.yaml", kOneServer);
  ASSERT_TRUE(catalog_.load(folder_));
  EXPECT_EQ(tools_of("a"), (Names{"calculator", "fs__two", "file_read"}));
}

TEST_F(ServersTest, ManyNewsAndReloadsAtOnce) {
  put("a.yaml", kOneServer);
  ASSERT_TRUE(catalog_.load(folder_));
  const auto server = servers_.get("fs");
  std::thread news([&] {
    for (int i = 0; i < 500; ++i) server->offer(Names(static_cast<std::size_t>(i % 3), "x"));
    server->offer({"last"});
  });
  for (int i = 0; i < 20; ++i) {
    put("a.yaml", std::string(kOneServer) + "\ndescription: " + std::to_string(i));
    (void)catalog_.reload(folder_);
  }
  news.join();
  EXPECT_TRUE(soon([&] { return tools_of("a") == Names{"calculator", "fs__last", "file_read"}; }));
  EXPECT_EQ(catalog_.find("a")->agent.description, "19");
}

TEST_F(ServersTest, WhatCannotWork) {
  EXPECT_EQ(load_error("a.yaml", "name: a\ntools: [{mcp: {name: s, url: 'http://x/impossible'}}]"),
            "agent 'a': this is impossible");
  EXPECT_EQ(load_error("a.yaml", "name: a\ntools: [{mcp: {name: s, command: [x], env: [MISSING]}}]"),
            "a.yaml:2:45: the environment variable MISSING is not set");
  EXPECT_EQ(servers_.count("s"), 0u);
}

TEST_F(ServersTest, NothingIsStartedForAFolderWithFaults) {
  put("a.yaml", kOneServer);
  EXPECT_EQ(load_error("b.yaml", "name: b\nfoo: 1"), "b.yaml:2:1: unknown key 'foo'");
  EXPECT_EQ(servers_.count("fs"), 0u);
}

TEST_F(ServersTest, WithoutMakersTheyAreFaults) {
  Catalog catalog{{tools_, [this](const auto& documents) { return make_knowledge(documents); }}, make_model, {}};
  put("a.yaml", kOneServer);
  EXPECT_EQ(catalog.load(folder_).error().message, "agent 'a': MCP servers cannot be used here");
  put("a.yaml", "name: a\ntools: [{http: {name: h, description: d, url: 'http://x'}}]");
  EXPECT_EQ(catalog.load(folder_).error().message, "agent 'a': HTTP tools cannot be used here");
}

TEST_F(ServersTest, HttpTools) {
  put("a.yaml", "name: a\ntools: [{http: {name: h, description: d, url: 'http://x'}}, calculator]");
  ASSERT_TRUE(catalog_.load(folder_));
  EXPECT_EQ(tools_of("a"), (Names{"h", "calculator"}));
  EXPECT_TRUE(catalog_.find("a")->find_tool("h"));
}

TEST_F(ServersTest, ARuleForAToolThatIsNotThereLeavesNothingToTheDefault) {
  servers_.when_made([](FakeToolServer& server) { server.offer({"read", "write_file"}); });
  put("a.yaml",
      "name: a\ntools: [{mcp: {name: fs, command: [x]}}, {mcp: {name: web, command: [y]}}, file_write]\n"
      "approval: {default: auto, tools: {fs__wirte_file: ask, fs__read: auto}}");
  ::testing::internal::CaptureStderr();
  ASSERT_TRUE(catalog_.load(folder_));
  const auto said = ::testing::internal::GetCapturedStderr();
  const auto line = said.find(R"(agent="a" server="fs" rule="fs__wirte_file")");
  EXPECT_NE(line, std::string::npos) << said;
  EXPECT_EQ(said.find("rule=", line + 40), std::string::npos) << "once: " << said;
  const auto policy = [&](const std::string& tool) { return catalog_.find("a")->agent.approval.for_tool(tool); };
  EXPECT_EQ(policy("fs__write_file"), api::Policy::kAsk);
  EXPECT_EQ(policy("fs__read"), api::Policy::kAuto) << "its own rule";
  EXPECT_EQ(policy("web__write_file"), api::Policy::kAuto);
  EXPECT_EQ(policy("file_write"), api::Policy::kAuto);
  servers_.get("fs")->offer({"read", "wirte_file", "write_file"});
  EXPECT_TRUE(soon([&] { return policy("fs__write_file") == api::Policy::kAuto; }));
}

TEST_F(ServersTest, ToolsOutliveTheCatalog) {
  servers_.when_made([](FakeToolServer& server) { server.offer({"read"}); });
  put("a.yaml", kOneServer);
  auto catalog = std::make_unique<Catalog>(sources(), make_model, Names{});
  ASSERT_TRUE(catalog->load(folder_));
  const auto server = servers_.get("fs");
  const auto kept = catalog->find("a");
  catalog.reset();
  server->offer({"write"});
  EXPECT_TRUE(kept->find_tool("fs__read"));
}

}  // namespace
}  // namespace braidlog::agent
