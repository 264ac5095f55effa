#include "agent/mcp_entry.h"

#include <gtest/gtest.h>

#include "agent/testing/parsing.h"

namespace braidlog::agent {
namespace {

using testing::faults;
using testing::tool_faults;
using testing::with_tool;

TEST(McpEntry, ACommand) {
  const auto agent = with_tool(
      "mcp: {name: fs, command: [npx, -y, '@scope/server', ., .], env: [SET_TOKEN], reads: [read, stat],\n"
      "          tools: [read, stat, write], timeout: 90s}");
  ASSERT_EQ(agent.mcp_servers.size(), 1u);
  EXPECT_EQ(agent.mcp_servers[0], (api::McpServer{.name = "fs",
                                                  .command = {"npx", "-y", "@scope/server", ".", "."},
                                                  .env = {"SET_TOKEN"},
                                                  .folder = "/agents/here",
                                                  .reads = {"read", "stat"},
                                                  .tools = {"read", "stat", "write"},
                                                  .timeout = std::chrono::seconds(90)}));
  EXPECT_EQ(agent.tools, std::vector<std::string>{"fs__*"});
}

TEST(McpEntry, AUrl) {
  const auto agent = with_tool(
      "mcp: {name: crm, url: 'https://crm.example:8443/mcp?v=2', headers: {Authorization: 'Bearer ${SET_X}'},\n"
      "          addresses: [10.0.0.0/8, '::1']}");
  ASSERT_EQ(agent.mcp_servers.size(), 1u);
  EXPECT_EQ(agent.mcp_servers[0], (api::McpServer{.name = "crm",
                                                  .folder = "/agents/here",
                                                  .url = "https://crm.example:8443/mcp?v=2",
                                                  .headers = {{"Authorization", "Bearer ${SET_X}"}},
                                                  .addresses = {"10.0.0.0/8", "::1"}}));
}

TEST(McpEntry, ACommandOrAUrl) {
  EXPECT_EQ(tool_faults("mcp: {name: x}"), "a.yaml:3:10: 'mcp' needs a 'command' to start or a 'url' to connect to");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], url: 'http://x'}"),
            "a.yaml:3:39: 'mcp' has a 'command' or a 'url', not both");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], headers: {}}"),
            "a.yaml:3:43: 'headers' are for a 'url'; a 'command' has 'env'");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], addresses: []}"), "a.yaml:3:45: 'addresses' are for a 'url'");
  EXPECT_EQ(tool_faults("mcp: {name: x, url: 'http://x', env: []}"),
            "a.yaml:3:42: 'env' is for a 'command'; a 'url' has 'headers'");
  for (const char* command : {"x", "[]", "{}"}) {
    EXPECT_TRUE(tool_faults("mcp: {name: x, command: " + std::string(command) + "}")
                    .starts_with("a.yaml:3:29: 'command' must be a list: the program and its arguments"));
  }
  EXPECT_EQ(tool_faults("mcp: {name: x, command: ['']}"), "a.yaml:3:30: 'command' must be a list of texts");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a, [b]]}"), "a.yaml:3:33: 'command' must be a list of texts");
  EXPECT_EQ(tool_faults("mcp: {name: x, url: 'ftp://x'}"), "a.yaml:3:25: 'url' must begin with http:// or https://");
}

TEST(McpEntry, Names) {
  EXPECT_EQ(tool_faults("mcp: {command: [a]}"), "a.yaml:3:10: 'mcp' needs a 'name': its tools are called NAME__TOOL");
  for (const std::string& name : std::vector<std::string>{"a b", "", "a__b", "a_", "ä", "a.b", std::string(33, 'a')}) {
    EXPECT_TRUE(tool_faults("mcp: {name: '" + name + "', command: [a]}")
                    .starts_with("a.yaml:3:17: 'name' of an MCP server must be 1 to 32 letters"))
        << name;
  }
  EXPECT_EQ(with_tool("mcp: {name: a_b-2, command: [a]}").mcp_servers[0].name, "a_b-2");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a]}\n  - mcp: {name: x, command: [b]}"),
            "a.yaml:4:5: MCP server 'x' is there twice");
}

TEST(McpEntry, ShapesAndKeys) {
  EXPECT_EQ(tool_faults("mcp"), "a.yaml:3:5: 'mcp' needs settings, as in mcp: {name: NAME, …}");
  EXPECT_EQ(tool_faults("mcp: [x]"),
            "a.yaml:3:10: 'mcp' must be a mapping, as in mcp: {name: NAME, command: [PROGRAM]}");
  EXPECT_EQ(tool_faults("mpc: {}"), "a.yaml:3:5: unknown kind of tool 'mpc'");
  EXPECT_EQ(tool_faults("mcp: {name: x, comand: [a], command: [a]}"),
            "a.yaml:3:20: unknown key 'comand' (did you mean 'command'?)");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], reads: read}"), "a.yaml:3:41: 'reads' must be a list of texts");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], reads: [b, b]}"), "a.yaml:3:45: 'reads' has this twice");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], tools: []}"),
            "a.yaml:3:41: 'tools' is empty: leave it out for all tools of the server");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], tools: [read], reads: [raed]}"),
            "a.yaml:3:41: 'reads' names 'raed', which is not among 'tools'");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], timeout: 0s}"), "a.yaml:3:43: 'timeout' must not be 0");
  EXPECT_EQ(faults("tools:\n  - mcp: {name: x, command: [a]}"), "a.yaml:3:5: a server of tools cannot be named here")
      << "an agent without a folder";
}

TEST(McpEntry, Variables) {
  for (const char* name : {"sk-hush", "'A=B'", "1A"}) {
    EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], env: [" + std::string(name) + "]}"),
              "a.yaml:3:40: 'env' must be a list of names of environment variables");
  }
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], env: [NOT_THERE]}"),
            "a.yaml:3:40: the environment variable NOT_THERE is not set");
  EXPECT_EQ(tool_faults("mcp: {name: x, command: [a], env: {A: b}}"), "a.yaml:3:39: 'env' must be a list of texts");
}

TEST(McpEntry, ApprovalForToolsThatNobodyKnowsYet) {
  const std::string server = "mcp: {name: fs, command: [a]}";
  EXPECT_EQ(tool_faults(server, "approval: {tools: {fs__write_file: auto}}"), "");
  EXPECT_EQ(tool_faults(server, "approval: {tools: {sf__write_file: auto}}"),
            "a.yaml:4:20: approval for 'sf__write_file', which is not among the agent's tools");
  EXPECT_EQ(tool_faults(server, "approval: {tools: {fs__: auto}}"),
            "a.yaml:4:20: approval for 'fs__', which is not among the agent's tools");
  EXPECT_EQ(tool_faults(server, "approval: {tools: {'fs__*': auto}}"),
            "a.yaml:4:20: approval for 'fs__*', which is not among the agent's tools");
  EXPECT_EQ(tool_faults("mcp: {name: fs, command: [a], tools: [read]}", "approval: {tools: {fs__write: auto}}"),
            "a.yaml:4:20: approval for 'fs__write', which is not among the agent's tools")
      << "its tools are counted up";
  EXPECT_EQ(tool_faults("mcp: {name: fs, command: [a], tools: [read.file]}",
                        "approval: {tools: {fs__read_file_0a1b2c3d: auto}}"),
            "")
      << "this one is going to be called otherwise";
}

TEST(McpEntry, CodeCallsByName) {
  EXPECT_EQ(tool_faults("mcp: {name: my-fs, command: [a]}", "style: code"),
            "a.yaml:3:5: 'my-fs' cannot be called from code, as 'style: code' needs it: use letters, digits and "
            "underscores");
}

}  // namespace
}  // namespace braidlog::agent
