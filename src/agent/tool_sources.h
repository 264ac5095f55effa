// Where the tools and models of agents come from.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "api/agent.h"
#include "base/environment.h"
#include "base/result.h"
#include "port/agent_catalog.h"
#include "port/tool_server.h"

namespace braidlog::agent {

using ToolMap = std::map<std::string, std::shared_ptr<Tool>>;
// Makes search_knowledge_base for an agent that brings its own documents.
using KnowledgeFactory = std::function<Result<std::shared_ptr<Tool>>(const api::KnowledgeDocuments&)>;
using HttpToolFactory = std::function<Result<std::shared_ptr<Tool>>(const api::HttpTool&)>;
using ModelFactory = std::function<Result<std::shared_ptr<Model>>(const api::ModelSpec&)>;

struct ToolSources {
  ToolMap builtin;  // shared by all agents
  KnowledgeFactory make_knowledge;
  // Where agents of style code run their code. None: they are loaded all the same, and a run of one says that its code
  // cannot run.
  std::shared_ptr<Sandbox> sandbox{};
  // None: an agent file that has an MCP server or an HTTP tool is at fault.
  ToolServerFactory make_tool_server{};
  HttpToolFactory make_http_tool{};
  // For what agent files say of variables; none: it is not judged before a tool is made.
  Environment environment{};
  // Tools that could be built in and are not, with what is missing: Vocabulary::unavailable.
  std::map<std::string, std::string> unavailable{};
};

}  // namespace braidlog::agent
