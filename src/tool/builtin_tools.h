// The tools that are in the binary, by name.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/agent.h"
#include "base/limits.h"
#include "base/loop.h"
#include "base/result.h"
#include "net/http_client.h"
#include "net/outbound_rules.h"
#include "port/alerts.h"
#include "port/server_status.h"
#include "port/session_items.h"
#include "port/text_extractor.h"
#include "port/tool.h"
#include "port/workspace.h"
#include "tool/web/web_settings.h"

namespace braidlog::tool {

// What tools reach of the server. All of it outlives the tools.
struct ToolPorts {
  Workspace& workspace;
  Alerts& alerts;
  const ServerStatus& status;
  SessionItems& items;
  WorkerPool& pool;
  HttpClients& http_clients;
  OutboundRulesPtr outbound;               // where tools may go that a model or a page sends somewhere
  TextExtractor* extractor = nullptr;      // null: where tools are made and never run
  std::optional<SearchSettings> search{};  // none: there is no web_search
};

std::map<std::string, std::shared_ptr<Tool>> builtin_tools(ToolPorts ports, const Limits& limits);

// search_knowledge_base over documents of an agent's own, in place of those in the binary. Blocks while it indexes
// them. `pool` outlives the tool. kInternal when there is no memory for it.
Result<std::shared_ptr<Tool>> make_knowledge_tool(const api::KnowledgeDocuments& documents, WorkerPool& pool);

}  // namespace braidlog::tool
