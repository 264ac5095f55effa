// The agents that can be run: each with its model and its tools. Loading replaces all of them at once or changes
// nothing; a reader holds the lock only to copy one pointer. Thread-safe.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/parser.h"
#include "api/agent.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "port/agent_catalog.h"

namespace braidlog::agent {

using ToolMap = std::map<std::string, std::shared_ptr<Tool>>;
// Makes search_knowledge_base for an agent that brings its own documents.
using KnowledgeFactory = std::function<Result<std::shared_ptr<Tool>>(const api::KnowledgeDocuments&)>;
using ModelFactory = std::function<Result<std::shared_ptr<Model>>(const api::ModelSpec&)>;

struct ToolSources {
  ToolMap builtin;  // shared by all agents
  KnowledgeFactory make_knowledge;
  // Where agents of style code run their code. None: they are loaded all the same, and a run of one says that its code
  // cannot run.
  std::shared_ptr<Sandbox> sandbox{};
};

class Catalog final : public AgentCatalog {
 public:
  // Empty until something is loaded. `failure_kinds` is what `model: {fail: …}` may say.
  Catalog(ToolSources tools, ModelFactory make_model, std::vector<std::string> failure_kinds);

  // The agents in the binary and, over them by name, those of `folder`; none: the former alone. Called at
  // start-up and for every reload. kBadField; the message has a line for every fault, and nothing has
  // changed.
  Status load(const std::optional<std::filesystem::path>& folder);
  // These and no others. kBadField: two of one name, a tool that does not exist, a model that cannot be made.
  Status replace(api::AgentList agents);

  std::shared_ptr<const RunnableAgent> find(std::string_view name) const override;
  std::vector<std::shared_ptr<const RunnableAgent>> all() const override;
  // `writer` for runs, `support` for chat, `operator` for conversation, `analyst` for steps, `planner` for tasks,
  // `assistant` for everything else.
  std::string default_for(std::string_view contract) const override;

 private:
  using Snapshot = std::map<std::string, std::shared_ptr<const RunnableAgent>, std::less<>>;

  std::shared_ptr<const Snapshot> snapshot() const;
  Result<std::shared_ptr<const RunnableAgent>> make_runnable(api::Agent agent) const;
  // None: the engine answers the calls of this tool itself.
  Result<std::shared_ptr<Tool>> make_tool(const api::Agent& agent, const std::string& name) const;

  const ToolSources tools_;
  const ModelFactory make_model_;
  const Vocabulary vocabulary_;

  mutable Mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_ GUARDED_BY(mutex_);  // what it points to never changes
};

}  // namespace braidlog::agent
