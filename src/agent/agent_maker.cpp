#include "agent/agent_maker.h"

#include <algorithm>
#include <utility>

#include "agent/tool_list.h"
#include "event/engine_tools.h"

namespace braidlog::agent {

namespace {

// Of the engine's own tools an agent may have this one; the others come with the way of a run.
bool is_listed_engine_tool(std::string_view name) {
  return name == kSetTasks;
}

// The one model that does as it is told, without a pause.
api::ModelSpec trial_spec() {
  api::ModelSpec spec;
  spec.provider = "offline";
  spec.pace = std::chrono::milliseconds(0);
  return spec;
}

std::shared_ptr<Model> make_trial_model(const ModelFactory& make_model) {
  auto model = make_model(trial_spec());
  return model ? std::move(*model) : nullptr;
}

Vocabulary vocabulary_of(const ToolSources& sources, const ModelFactory& make_model,
                         std::vector<std::string> failure_kinds) {
  Vocabulary vocabulary;
  for (const auto& [name, tool] : sources.builtin) vocabulary.tools.push_back(name);
  vocabulary.tools.emplace_back(kSetTasks);
  vocabulary.failure_kinds = std::move(failure_kinds);
  vocabulary.unavailable = sources.unavailable;
  vocabulary.environment = sources.environment;
  vocabulary.check_model = [make_model](const api::ModelSpec& spec) -> Status {
    auto made = make_model(spec);
    if (!made) return fail(std::move(made.error()));
    return {};
  };
  if (sources.make_http_tool) {
    vocabulary.check_http_tool = [make = sources.make_http_tool](const api::HttpTool& tool) -> Status {
      auto made = make(tool);
      if (!made) return fail(std::move(made.error()));
      return {};
    };
  }
  return vocabulary;
}

}  // namespace

AgentMaker::AgentMaker(ToolSources sources, ModelFactory make_model, std::vector<std::string> failure_kinds)
    : sources_(std::move(sources)),
      make_model_(std::move(make_model)),
      vocabulary_(vocabulary_of(sources_, make_model_, std::move(failure_kinds))),
      trial_model_(make_trial_model(make_model_)) {}

std::shared_ptr<const RunnableAgent> AgentMaker::make_trial(const RunnableAgent& agent) const {
  if (!trial_model_) return nullptr;
  auto trial = std::make_shared<RunnableAgent>(agent);
  trial->agent.name = std::string(kTryPrefix) + agent.agent.name;
  trial->agent.model = trial_spec();
  trial->agent.style = api::Style::kTools;
  trial->model = trial_model_;
  trial->sandbox.reset();
  return trial;
}

Result<std::shared_ptr<const LoadedAgent>> AgentMaker::make(AgentText text, ServerPool* servers) const {
  api::Agent& agent = text.agent;
  auto loaded = std::make_shared<LoadedAgent>();
  auto model = make_model_(agent.model);
  if (!model) return fail(std::move(model.error()));
  loaded->model = std::move(*model);
  for (const auto& name : agent.tools) {
    auto tool = make_tool(agent, name);
    if (!tool) return fail(std::move(tool.error()));
    if (*tool) loaded->tools.emplace(name, std::move(*tool));
  }
  // Last, so that nothing is started for an agent that cannot be had.
  for (const auto& description : agent.mcp_servers) {
    if (servers == nullptr) break;
    auto server = servers->get(description);
    if (!server) return fail(std::move(server.error()));
    loaded->servers.push_back(std::move(*server));
  }
  if (agent.style == api::Style::kCode) loaded->sandbox = sources_.sandbox;
  loaded->file = std::move(text.file);
  loaded->yaml = std::move(text.yaml);
  loaded->agent = std::move(agent);
  loaded->agent.knowledge.reset();  // the tool has what it needs of the texts
  return loaded;
}

Result<std::shared_ptr<Tool>> AgentMaker::make_tool(const api::Agent& agent, const std::string& name) const {
  if (is_listed_engine_tool(name)) return std::shared_ptr<Tool>();
  if (name == kKnowledgeTool && agent.knowledge) return sources_.make_knowledge(*agent.knowledge);
  const bool is_of_server = std::ranges::any_of(
      agent.mcp_servers, [&](const api::McpServer& server) { return name == all_tools_of(server.name); });
  if (is_of_server) return std::shared_ptr<Tool>();
  for (const auto& http_tool : agent.http_tools) {
    if (http_tool.name != name) continue;
    if (!sources_.make_http_tool) return fail(ErrorCode::kBadField, "HTTP tools cannot be used here");
    return sources_.make_http_tool(http_tool);
  }
  const auto tool = sources_.builtin.find(name);
  if (tool == sources_.builtin.end()) return fail(ErrorCode::kBadField, "unknown tool '" + name + "'");
  return tool->second;
}

}  // namespace braidlog::agent
