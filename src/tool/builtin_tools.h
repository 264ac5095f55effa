// The tools that are in the binary, by name.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "api/agent.h"
#include "base/limits.h"
#include "base/loop.h"
#include "base/result.h"
#include "port/alerts.h"
#include "port/server_status.h"
#include "port/session_items.h"
#include "port/tool.h"
#include "port/workspace.h"

namespace braidlog::tool {

// What tools reach of the server. All of it outlives the tools.
struct ToolPorts {
  Workspace& workspace;
  Alerts& alerts;
  const ServerStatus& status;
  SessionItems& items;
  WorkerPool& pool;
};

std::map<std::string, std::shared_ptr<Tool>> builtin_tools(ToolPorts ports, const Limits& limits);

// search_knowledge_base over documents of an agent's own, in place of those in the binary. Blocks while it indexes
// them. `pool` outlives the tool. kInternal when there is no memory for it.
Result<std::shared_ptr<Tool>> make_knowledge_tool(const api::KnowledgeDocuments& documents, WorkerPool& pool);

}  // namespace braidlog::tool
