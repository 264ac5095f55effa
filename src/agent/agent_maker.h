// Gives parsed agents their models and tools. Immutable and thread-safe.
#pragma once

#include <memory>
#include <string>

#include "agent/loaded_agent.h"
#include "agent/parser.h"
#include "agent/server_pool.h"
#include "agent/tool_sources.h"
#include "api/agent.h"
#include "base/result.h"

namespace braidlog::agent {

// An agent and the text that it was parsed from.
struct AgentText {
  std::string file;  // empty: of the binary
  std::string yaml;
  api::Agent agent;
};

class AgentMaker {
 public:
  // `failure_kinds` is what `model: {fail: …}` may say.
  AgentMaker(ToolSources sources, ModelFactory make_model, std::vector<std::string> failure_kinds);

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const ToolServerFactory& make_tool_server() const { return sources_.make_tool_server; }

  // kBadField: a model that cannot be made, a tool that does not exist. `servers` none: the agent is only looked at,
  // and no server is started for it.
  Result<std::shared_ptr<const LoadedAgent>> make(AgentText text, ServerPool* servers) const;
  // The same agent for one who wants to try its tools: it answers with what they give, and nothing else. None: there is
  // no model for that here.
  std::shared_ptr<const RunnableAgent> make_trial(const RunnableAgent& agent) const;

 private:
  // None: the engine answers the calls of this tool itself, or it is one of a server's.
  Result<std::shared_ptr<Tool>> make_tool(const api::Agent& agent, const std::string& name) const;

  const ToolSources sources_;
  const ModelFactory make_model_;
  const Vocabulary vocabulary_;
  const std::shared_ptr<Model> trial_model_;  // null: it cannot be made
};

}  // namespace braidlog::agent
