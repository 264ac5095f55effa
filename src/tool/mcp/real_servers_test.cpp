// The MCP servers that people have, where `npm ci` was run in test/mcp; skipped elsewhere.
#include "tool/mcp/testing/mcp_fixture.h"

namespace braidlog::tool {
namespace {

class RealMcpTest : public testing::McpTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(tests() + "/node_modules/@modelcontextprotocol/sdk")) {
      GTEST_SKIP() << "no node_modules in test/mcp";
    }
  }
  static std::string tests() { return std::string(BRAIDLOG_SOURCE_DIR) + "/test/mcp"; }
  api::McpServer package(const std::string& name, const std::vector<std::string>& arguments = {}) const {
    api::McpServer server;
    server.name = name;
    server.command = {"node", tests() + "/node_modules/@modelcontextprotocol/server-" + name + "/dist/index.js"};
    server.command.insert(server.command.end(), arguments.begin(), arguments.end());
    server.folder = folder_;
    return server;
  }
};

TEST_F(RealMcpTest, Everything) {
  const auto server = start(package("everything"));
  ASSERT_EQ(server->trouble(), "");
  EXPECT_GE(server->tools().size(), 13U);
  EXPECT_EQ(call(*server, "everything__echo", R"({"message":"hello"})").text, "Echo: hello");
  EXPECT_NE(call(*server, "everything__get-sum", R"({"a":2,"b":40})").text.find("42"), std::string::npos);
  EXPECT_EQ(call(*server, "everything__trigger-long-running-operation", R"({"duration":1,"steps":4})").status,
            ToolStatus::kOk);
  EXPECT_TRUE(call(*server, "everything__get-structured-content", R"({"location":"Chicago"})").value.is_object());
}

TEST_F(RealMcpTest, Filesystem) {
  std::ofstream(folder_ + "/note.txt") << "what it says";
  const auto server = start(package("filesystem", {"."}));
  ASSERT_EQ(server->trouble(), "");
  EXPECT_EQ(server->tools().size(), 14U);
  const auto read = call(*server, "filesystem__read_text_file", R"({"path":"note.txt"})");
  EXPECT_EQ(read.status, ToolStatus::kOk) << read.text;
  EXPECT_EQ(read.text, "what it says");
  EXPECT_EQ(call(*server, "filesystem__read_text_file", R"({"path":"/etc/passwd"})").status, ToolStatus::kToolError);
}

TEST_F(RealMcpTest, Memory) {
  environment_["MEMORY_FILE_PATH"] = folder_ + "/memory.json";
  auto entry = package("memory");
  entry.env = {"MEMORY_FILE_PATH"};
  const auto server = start(entry);
  ASSERT_EQ(server->trouble(), "");
  EXPECT_EQ(server->tools().size(), 9U);
  EXPECT_EQ(call(*server, "memory__create_entities",
                 R"({"entities":[{"name":"Ada","entityType":"person","observations":["counts"]}]})")
                .status,
            ToolStatus::kOk);
  EXPECT_NE(to_json(call(*server, "memory__read_graph").value).find("Ada"), std::string::npos);
}

TEST_F(RealMcpTest, TheModernSdk) {
  api::McpServer entry;
  entry.name = "modern";
  entry.command = {"node", tests() + "/modern_server.mjs"};
  entry.folder = folder_;
  const auto server = start(entry);
  ASSERT_EQ(server->trouble(), "");
  EXPECT_EQ(call(*server, "modern__add", R"({"a":2,"b":3})").text, "5");
  EXPECT_EQ(call(*server, "modern__fail").status, ToolStatus::kToolError);
}

}  // namespace
}  // namespace braidlog::tool
