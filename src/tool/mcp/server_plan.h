// What an agent file says of an MCP server, made ready: the environment looked up, the addresses read.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "api/agent.h"
#include "base/environment.h"
#include "base/result.h"
#include "tool/http/secrets.h"
#include "tool/mcp/http_link.h"
#include "tool/mcp/spawn.h"

namespace braidlog::tool::mcp {

struct ServerPlan {
  std::string name;
  std::variant<SpawnPlan, HttpPlan> way;
  std::set<std::string> reads;  // its tools that only read, by the server's own names
  std::set<std::string> tools;  // only these; empty: all
  std::optional<std::chrono::milliseconds> timeout;
  Secrets secrets;  // what is taken out of all that it says
};

// kBadField: it has neither a command nor a URL, a variable is not set, a header cannot be sent, an address is none.
Result<ServerPlan> plan_server(const api::McpServer& server, const Environment& environment,
                               const OutboundRulesPtr& rules);

}  // namespace braidlog::tool::mcp
