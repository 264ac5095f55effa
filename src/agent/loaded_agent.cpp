#include "agent/loaded_agent.h"

#include "agent/parser.h"

namespace braidlog::agent {

namespace {

void add_tools_of(const ToolServer& server, RunnableAgent& runnable) {
  for (const auto& tool : server.tools()) {
    runnable.agent.tools.push_back(tool->spec().name);
    runnable.tools.push_back(tool);
  }
}

// Whether `name` stands for the tools of a server, which are then added.
bool add_server(const std::string& name, const LoadedAgent& loaded, RunnableAgent& runnable) {
  for (std::size_t i = 0; i < loaded.agent.mcp_servers.size(); ++i) {
    if (name != all_tools_of(loaded.agent.mcp_servers[i].name)) continue;
    // None: the agent is only looked at.
    if (i < loaded.servers.size()) add_tools_of(*loaded.servers[i], runnable);
    return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<const RunnableAgent> make_runnable(const LoadedAgent& loaded) {
  auto runnable = std::make_shared<RunnableAgent>();
  runnable->agent = loaded.agent;
  runnable->agent.tools.clear();
  runnable->model = loaded.model;
  runnable->sandbox = loaded.sandbox;
  for (const auto& name : loaded.agent.tools) {
    if (add_server(name, loaded, *runnable)) continue;
    runnable->agent.tools.push_back(name);
    if (const auto tool = loaded.tools.find(name); tool != loaded.tools.end()) runnable->tools.push_back(tool->second);
  }
  return runnable;
}

}  // namespace braidlog::agent
