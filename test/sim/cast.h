// The agents and tools of the simulation, as data: what each tool does to the world, and who may use it how.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/agent.h"
#include "event/engine_tools.h"
#include "port/tool.h"

namespace braidlog::sim {

inline constexpr std::string_view kUnknownTool = "nonesuch";  // a model asks for it, no agent has it
inline constexpr std::string_view kMakingTool = "make";       // leaves artifacts and data items in the session

inline std::vector<ToolSpec> tool_specs() {
  const auto spec = [](const char* name, bool writes, bool idempotent) {
    return ToolSpec{name, "", R"({"type":"object"})", writes, idempotent, {}};
  };
  ToolSpec make = spec("make", false, false);
  make.changes_session = true;
  return {spec("look", false, false), spec("change", true, false), spec("stamp", true, true), spec("note", true, false),
          std::move(make)};
}

inline const ToolSpec* find_spec(const std::vector<ToolSpec>& specs, std::string_view name) {
  for (const auto& spec : specs) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

// asker: people are asked, but for `note`. bold: nobody is asked. careful: most is denied, `look` and `change` are
// asked for, and a refusal ends the run. passing: as asker, and gone one day. planner: as asker, and makes lists of
// tasks. coder: acts by code. maker: by code too, makes lists and no plans, and a refusal ends the run.
inline std::vector<api::Agent> cast() {
  using api::Policy;
  const auto agent = [](const char* name, api::ApprovalRules rules, unsigned max_steps) {
    api::Agent one;
    one.name = name;
    one.version = "1";
    one.instructions = "Count.";
    one.max_steps = max_steps;
    one.approval = std::move(rules);
    for (const auto& spec : tool_specs()) one.tools.push_back(spec.name);
    return one;
  };
  const api::ApprovalRules asking{Policy::kAsk, {{"note", Policy::kAuto}}, {}, api::OnReject::kContinue};
  api::Agent planner = agent("planner", asking, 5);
  planner.tools.emplace_back(kSetTasks);
  planner.planning_interval = 1;
  api::Agent coder = agent("coder", asking, 4);
  coder.style = api::Style::kCode;
  coder.planning_interval = 2;
  api::Agent maker = agent("maker", {Policy::kAuto, {{"change", Policy::kAsk}}, {}, api::OnReject::kEnd}, 3);
  maker.style = api::Style::kCode;
  maker.planning_interval = 0;
  maker.tools.emplace_back(kSetTasks);
  return {
      agent("asker", asking, 8),
      agent("bold", {Policy::kAuto, {}, {}, api::OnReject::kContinue}, 8),
      agent("careful", {Policy::kDeny, {{"look", Policy::kAsk}, {"change", Policy::kAsk}}, {}, api::OnReject::kEnd}, 4),
      agent("passing", asking, 8),
      std::move(planner),
      std::move(coder),
      std::move(maker)};
}
inline constexpr std::string_view kPassingAgent = "passing";
inline constexpr std::string_view kPassingTool = "change";

inline const api::Agent& agent_named(const std::vector<api::Agent>& cast, std::string_view name) {
  return *std::ranges::find(cast, name, &api::Agent::name);
}
inline bool makes_tasks(const api::Agent& agent) {
  return std::ranges::count(agent.tools, kSetTasks) > 0;
}

}  // namespace braidlog::sim
