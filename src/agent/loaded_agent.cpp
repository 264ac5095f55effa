#include "agent/loaded_agent.h"

#include "agent/parser.h"
#include "base/log.h"

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

struct ServerRules {
  std::vector<const Tool*> tools{};         // of the server
  std::vector<std::string> without_tool{};  // rules for others; none while the server has not told its tools
};

ServerRules rules_for(const std::string& server, const RunnableAgent& runnable) {
  std::string prefix = all_tools_of(server);
  prefix.pop_back();  // the star
  ServerRules out;
  for (const auto& tool : runnable.tools) {
    if (tool->spec().name.starts_with(prefix)) out.tools.push_back(tool.get());
  }
  if (out.tools.empty()) return out;
  for (const auto& [name, policy] : runnable.agent.approval.tools) {
    if (name.starts_with(prefix) && runnable.find_tool(name) == nullptr) out.without_tool.push_back(name);
  }
  return out;
}

void ask_where_rules_are_lost(RunnableAgent& runnable) {
  auto& approval = runnable.agent.approval;
  if (approval.fallback != api::Policy::kAuto) return;
  for (const auto& server : runnable.agent.mcp_servers) {
    const auto rules = rules_for(server.name, runnable);
    if (rules.without_tool.empty()) continue;
    for (const Tool* tool : rules.tools) {
      if (tool->spec().writes) approval.tools.try_emplace(tool->spec().name, api::Policy::kAsk);
    }
  }
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
  ask_where_rules_are_lost(*runnable);
  return runnable;
}

void warn_of_rules_without_tool(const RunnableAgent& runnable) {
  for (const auto& server : runnable.agent.mcp_servers) {
    for (const auto& rule : rules_for(server.name, runnable).without_tool) {
      log_warn("an approval rule is for a tool that its MCP server does not have",
               {{"agent", runnable.agent.name}, {"server", server.name}, {"rule", rule}});
    }
  }
}

}  // namespace braidlog::agent
