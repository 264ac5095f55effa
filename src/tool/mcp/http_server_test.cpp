// MCP servers that are addresses.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "tool/mcp/testing/mcp_fixture.h"

namespace braidlog::tool {
namespace {

using std::chrono::milliseconds;
using testing::eventually;
using testing::PendingTool;

class HttpMcpTest : public testing::McpTest {
 protected:
  ~HttpMcpTest() override {
    held_.clear();
    servers_.reset();  // before the server that it says goodbye to
    if (program_.pid > 0) {
      ::kill(-program_.pid, SIGKILL);
      ::waitpid(program_.pid, nullptr, 0);
    }
  }

  api::McpServer serve(const std::vector<std::string>& options) {
    mcp::SpawnPlan plan;
    plan.argv = {"/usr/bin/python3", "-B", script("fake_http_server.py"), "--mark", mark_file()};
    plan.argv.insert(plan.argv.end(), options.begin(), options.end());
    plan.environment = {"PATH=" + environment_["PATH"]};
    auto spawned = mcp::spawn(plan);
    EXPECT_TRUE(spawned) << spawned.error().message;
    program_ = std::move(*spawned);
    char port[16] = {};
    pollfd wait{program_.output.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&wait, 1, 20'000), 1) << "the fake server did not start";
    EXPECT_GT(::read(program_.output.get(), port, sizeof port - 1), 0);
    api::McpServer server;
    server.name = "web";
    server.url = "http://127.0.0.1:" + std::to_string(std::atoi(port)) + "/mcp";
    server.addresses = {"127.0.0.1/32"};
    return server;
  }

  mcp::Spawned program_;
};

TEST_F(HttpMcpTest, LegacyWithStreams) {
  const auto server = start(serve({}));
  EXPECT_EQ(server->trouble(), "");
  EXPECT_EQ(call(*server, "web__echo", R"({"text":"x"})").text, "echo: x");
  EXPECT_EQ(call(*server, "web__fail").status, ToolStatus::kToolError);
  EXPECT_EQ(call(*server, "web__refuse").text, "MCP server web refused the call: Tool refuse not found (-32602)");
  const auto asked = call(*server, "web__ask");
  EXPECT_NE(asked.text.find("-32601"), std::string::npos) << asked.text;
  held_.clear();
  servers_.reset();
  EXPECT_EQ(count_marks("deleted"), 1U) << "the session is given up";
}

TEST_F(HttpMcpTest, LegacyWithJson) {
  const auto server = start(serve({"--json"}));
  EXPECT_EQ(call(*server, "web__echo", R"({"text":"x"})").text, "echo: x");
}

TEST_F(HttpMcpTest, ASessionThatTheServerForgotIsBegunAnew) {
  const auto server = start(serve({"--json"}));
  call(*server, "web__forget");
  EXPECT_EQ(call(*server, "web__echo", R"({"text":"again"})").text, "echo: again");
  EXPECT_EQ(changes_, 1);
}

TEST_F(HttpMcpTest, ASessionThatTheServerForgotIsNoticedWithoutACall) {
  const auto server = start(serve({"--json"}));
  ASSERT_TRUE(eventually([&] { return count_marks("listening") == 1; }));
  call(*server, "web__forget");
  EXPECT_TRUE(eventually([&] { return count_marks("listening") == 2 && server->trouble().empty(); }));
}

TEST_F(HttpMcpTest, AStreamThatIsCutIsTakenUp) {
  const auto server = start(serve({"--cut"}));
  EXPECT_EQ(call(*server, "web__echo", R"({"text":"late"})").text, "echo: late");
  EXPECT_EQ(count_marks("resumed"), 1U);
}

TEST_F(HttpMcpTest, ModernWithItsHeaders) {
  for (const bool json : {false, true}) {
    const auto server = start(serve({"--era", "modern", json ? "--json" : "--stream"}));
    EXPECT_EQ(call(*server, "web__echo", R"({"text":"x"})").text, "echo: x");
    EXPECT_EQ(call(*server, "web__region", R"({"region":"Zürich","deep":{"n":7}})").status, ToolStatus::kOk);
    EXPECT_EQ(call(*server, "web__region", R"({"region":"us-west1"})").status, ToolStatus::kOk);
    EXPECT_EQ(call(*server, "web__region", R"({"region":" "})").status, ToolStatus::kOk);
    for (const auto& tool : server->tools()) EXPECT_NE(tool->spec().name, "web__unsound");
    const auto asked = call(*server, "web__ask");
    EXPECT_NE(asked.text.find("elicitation/create"), std::string::npos) << asked.text;
    held_.clear();
    ::kill(-program_.pid, SIGKILL);
    ::waitpid(program_.pid, nullptr, 0);
    program_.pid = -1;
  }
}

TEST_F(HttpMcpTest, ChangesAreHeardInBothEras) {
  for (const std::string era : {"legacy", "modern"}) {
    std::filesystem::remove(mark_file());
    changes_ = 0;
    const auto server = start(serve({"--era", era}));
    ASSERT_TRUE(eventually([&] { return count_marks("listening") == 1; })) << era;
    call(*server, "web__change");
    EXPECT_TRUE(eventually([&] { return changes_ == 2; })) << era;
    EXPECT_NE(tool(*server, "web__new2"), nullptr);
    held_.clear();
    ::kill(-program_.pid, SIGKILL);
    ::waitpid(program_.pid, nullptr, 0);
    program_.pid = -1;
  }
}

TEST_F(HttpMcpTest, ProgressTimeoutAndCancel) {
  limits_.mcp_call_timeout = milliseconds(800);
  limits_.mcp_call_time_max = milliseconds(10'000);
  auto entry = serve({"--era", "modern"});
  entry.reads = {"slow"};
  const auto server = start(entry);
  EXPECT_EQ(call(*server, "web__slow", R"({"seconds":2,"progress":true})").text, "slept");
  EXPECT_EQ(call(*server, "web__slow", R"({"seconds":20})").status, ToolStatus::kTimeout);
  {
    PendingTool slow(loop_, tool(*server, "web__slow"), R"({"seconds":20,"progress":true})");
    EXPECT_EQ(call(*server, "web__echo", R"({"text":"x"})").text, "echo: x");
  }
  EXPECT_TRUE(eventually([&] { return count_marks("closed") >= 1; })) << "closing its stream is the cancellation";
}

TEST_F(HttpMcpTest, ALegacyServerIsToldOfACancelledCall) {
  const auto server = start(serve({}));
  {
    PendingTool slow(loop_, tool(*server, "web__slow"), R"({"seconds":20})");
    EXPECT_EQ(call(*server, "web__echo", R"({"text":"x"})").text, "echo: x");
  }
  EXPECT_TRUE(eventually([&] { return count_marks("cancelled") == 1; }));
}

TEST_F(HttpMcpTest, HeadersComeFromTheEnvironment) {
  environment_["TOKEN"] = "s3cret";
  auto entry = serve({"--json", "--need", "Authorization: Bearer s3cret"});
  EXPECT_EQ(start(entry)->trouble(), "MCP server web answered with HTTP status 401");
  entry.headers = {{"Authorization", "Bearer ${TOKEN}"}};
  const auto server = start(entry);
  EXPECT_EQ(call(*server, "web__echo", R"({"text":"x"})").text, "echo: x");
  entry.headers = {{"Authorization", "Bearer ${NO_SUCH_TOKEN}"}};
  const auto made = servers().make(entry, [] {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kBadField);
}

TEST_F(HttpMcpTest, AMessageOverTheLimitIsOneCallsError) {
  limits_.mcp_message_bytes_max = 100'000;
  const auto server = start(serve({}));
  EXPECT_NE(call(*server, "web__big", R"({"bytes":200000})").text.find("larger"), std::string::npos);
  EXPECT_EQ(call(*server, "web__big", R"({"bytes":50000})").text.size(), 50'000U);
}

TEST_F(HttpMcpTest, AnAddressThatIsNotPublicIsRefused) {
  auto entry = serve({});
  entry.addresses.clear();
  const auto server = start(entry);
  EXPECT_TRUE(server->tools().empty());
  EXPECT_NE(server->trouble().find("not public"), std::string::npos) << server->trouble();
}

TEST_F(HttpMcpTest, RepliesThatTheServerDoesNotTakeAreFewAndEnd) {
  const auto server = start(serve({"--json", "--flood"}));
  EXPECT_EQ(call(*server, "web__echo", R"({"text":"x"})").text, "echo: x");
  EXPECT_TRUE(eventually([&] { return count_marks("let go") == 32; }));
  EXPECT_EQ(count_marks("held"), 32U);
  EXPECT_EQ(call(*server, "web__echo", R"({"text":"y"})").text, "echo: y");
}

TEST_F(HttpMcpTest, NobodyListens) {
  auto entry = serve({"--json"});
  const auto server = start(entry);
  ::kill(-program_.pid, SIGKILL);
  ::waitpid(program_.pid, nullptr, 0);
  program_.pid = -1;
  const auto outcome = call(*server, "web__echo", R"({"text":"x"})");
  EXPECT_EQ(outcome.status, ToolStatus::kToolError);
  EXPECT_EQ(outcome.text, "MCP server web cannot be reached; nothing was done.");
}

}  // namespace
}  // namespace braidlog::tool
