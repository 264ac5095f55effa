// The MCP servers of all agents: programs and addresses that agent files name, as port/tool_server.h has them. Each
// runs for as long as somebody holds it or one of its tools, is started again when it falls, and keeps to the limits
// `mcp_*`. All of it lives on one thread of its own, which begins with the first server.
#pragma once

#include <functional>
#include <memory>

#include "api/agent.h"
#include "base/environment.h"
#include "base/limits.h"
#include "base/result.h"
#include "net/outbound_rules.h"
#include "port/tool_server.h"

namespace braidlog::tool {

// Thread-safe.
class McpServers {
 public:
  // `rules` hold for servers with a URL, together with the addresses that their entries allow.
  McpServers(const Limits& limits, Environment environment, OutboundRulesPtr rules);
  // Ends all servers: their stdin is closed, then they are asked, then killed, all at once and within two seconds.
  // Every call must be over or cancelled: the loops that wait for one may be gone. Tools may outlive this; they are not
  // called any more.
  ~McpServers();
  McpServers(const McpServers&) = delete;
  McpServers& operator=(const McpServers&) = delete;

  // Starts it and returns at once. kBadField: what the operator wrote cannot work; kUnavailable: no descriptors left.
  // The destructor of what is returned waits for a `changed` under way, so whoever lets go of it holds no lock that
  // `changed` wants.
  Result<std::shared_ptr<ToolServer>> make(const api::McpServer& server, std::function<void()> changed);

  // Nobody who waits for a server to get ready waits any longer, now or later: the end is near.
  void give_up();

 private:
  class Core;
  std::shared_ptr<Core> core_;  // tools hold it too, for as long as there are any
};

}  // namespace braidlog::tool
