// An agent with all that a catalog made for it, and the servers that lend it tools. What those offer changes while the
// server runs; what runs see is made of it anew each time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/agent.h"
#include "port/agent_catalog.h"
#include "port/tool_server.h"

namespace braidlog::agent {

// Immutable.
struct LoadedAgent {
  std::string file;  // empty: it is one of the binary's own
  std::string yaml;  // the text that the agent was parsed from
  api::Agent agent;  // as parsed
  std::shared_ptr<Model> model;
  std::map<std::string, std::shared_ptr<Tool>> tools;  // without those of servers, and without the engine's own
  std::vector<std::shared_ptr<ToolServer>> servers{};  // one for each of agent.mcp_servers
  std::shared_ptr<Sandbox> sandbox{};
};

// With the tools that its servers offer now. An approval rule for a tool that its server does not have was meant for
// another one, nobody knows which: as long as there is one, no tool of that server that writes goes by `default: auto`.
std::shared_ptr<const RunnableAgent> make_runnable(const LoadedAgent& loaded);

// Says in the log which of its approval rules those are.
void warn_of_rules_without_tool(const RunnableAgent& runnable);

}  // namespace braidlog::agent
