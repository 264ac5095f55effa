#include "agent/catalog.h"

#include <utility>

#include "agent/builtin_agents.h"
#include "agent/folder.h"
#include "agent/tool_list.h"
#include "event/engine_tools.h"

namespace braidlog::agent {

namespace {

// Of the engine's own tools an agent may have this one; the others come with the way of a run.
bool is_listed_engine_tool(std::string_view name) {
  return name == kSetTasks;
}

// What may stand under `tools:`.
std::vector<std::string> names_of(const ToolMap& tools) {
  std::vector<std::string> names;
  for (const auto& [name, tool] : tools) names.push_back(name);
  names.emplace_back(kSetTasks);
  return names;
}

}  // namespace

Catalog::Catalog(ToolSources tools, ModelFactory make_model, std::vector<std::string> failure_kinds)
    : tools_(std::move(tools)),
      make_model_(std::move(make_model)),
      vocabulary_{names_of(tools_.builtin), std::move(failure_kinds)},
      snapshot_(std::make_shared<const Snapshot>()) {}

Status Catalog::load(const std::optional<std::filesystem::path>& folder) {
  auto agents = builtin_agents(vocabulary_);
  if (!agents) return fail(std::move(agents.error()));
  if (!folder) return replace(std::move(*agents));
  auto own = load_folder(*folder, vocabulary_);
  if (!own) return fail(std::move(own.error()));
  for (const auto& agent : *own) {
    std::erase_if(*agents, [&](const api::Agent& builtin) { return builtin.name == agent.name; });
  }
  agents->insert(agents->end(), own->begin(), own->end());
  return replace(std::move(*agents));
}

Status Catalog::replace(api::AgentList agents) {
  auto next = std::make_shared<Snapshot>();
  std::string faults;
  const auto add_fault = [&](const std::string& line) { faults += (faults.empty() ? "" : "\n") + line; };
  for (auto& agent : agents) {
    const std::string name = agent.name;
    auto runnable = make_runnable(std::move(agent));
    if (!runnable) {
      add_fault("agent '" + name + "': " + runnable.error().message);
    } else if (!next->emplace(name, std::move(*runnable)).second) {
      add_fault("agent '" + name + "' is there twice");
    }
  }
  if (!faults.empty()) return fail(ErrorCode::kBadField, std::move(faults));
  const MutexLock lock(mutex_);
  snapshot_ = std::move(next);
  return {};
}

Result<std::shared_ptr<const RunnableAgent>> Catalog::make_runnable(api::Agent agent) const {
  auto runnable = std::make_shared<RunnableAgent>();
  auto model = make_model_(agent.model);
  if (!model) return fail(std::move(model.error()));
  runnable->model = std::move(*model);
  for (const auto& name : agent.tools) {
    auto tool = make_tool(agent, name);
    if (!tool) return fail(std::move(tool.error()));
    if (*tool) runnable->tools.push_back(std::move(*tool));
  }
  if (agent.style == api::Style::kCode) runnable->sandbox = tools_.sandbox;
  runnable->agent = std::move(agent);
  runnable->agent.knowledge.reset();  // the tool has what it needs of the texts
  return runnable;
}

Result<std::shared_ptr<Tool>> Catalog::make_tool(const api::Agent& agent, const std::string& name) const {
  if (is_listed_engine_tool(name)) return std::shared_ptr<Tool>();
  if (name == kKnowledgeTool && agent.knowledge) return tools_.make_knowledge(*agent.knowledge);
  const auto tool = tools_.builtin.find(name);
  if (tool == tools_.builtin.end()) return fail(ErrorCode::kBadField, "unknown tool '" + name + "'");
  return tool->second;
}

std::shared_ptr<const Catalog::Snapshot> Catalog::snapshot() const {
  const MutexLock lock(mutex_);
  return snapshot_;
}

std::shared_ptr<const RunnableAgent> Catalog::find(std::string_view name) const {
  const auto now = snapshot();
  const auto found = now->find(name);
  return found == now->end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const RunnableAgent>> Catalog::all() const {
  std::vector<std::shared_ptr<const RunnableAgent>> agents;
  for (const auto& [name, agent] : *snapshot()) agents.push_back(agent);
  return agents;
}

std::string Catalog::default_for(std::string_view contract) const {
  if (contract == "runs") return "writer";
  if (contract == "chat") return "support";
  if (contract == "conversation") return "operator";
  if (contract == "steps") return "analyst";
  if (contract == "tasks") return "planner";
  return "assistant";
}

}  // namespace braidlog::agent
