// The agents and tools of the simulation, as data: what each tool does to the world, and who may use it how.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/agent.h"
#include "port/tool.h"

namespace braidlog::sim {

inline constexpr std::string_view kUnknownTool = "nonesuch";  // a model asks for it, no agent has it

inline std::vector<ToolSpec> tool_specs() {
  const auto spec = [](const char* name, bool writes, bool idempotent) {
    return ToolSpec{name, "", R"({"type":"object"})", writes, idempotent, {}};
  };
  return {spec("look", false, false), spec("change", true, false), spec("stamp", true, true),
          spec("note", true, false)};
}

inline const ToolSpec* find_spec(const std::vector<ToolSpec>& specs, std::string_view name) {
  for (const auto& spec : specs) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

// asker: people are asked, but for `note`. bold: nobody is asked. careful: most is denied, `look` and `change` are
// asked for, and a refusal ends the run. passing: as asker, and gone one day.
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
  return {
      agent("asker", asking, 8), agent("bold", {Policy::kAuto, {}, {}, api::OnReject::kContinue}, 8),
      agent("careful", {Policy::kDeny, {{"look", Policy::kAsk}, {"change", Policy::kAsk}}, {}, api::OnReject::kEnd}, 4),
      agent("passing", asking, 8)};
}
inline constexpr std::string_view kPassingAgent = "passing";
inline constexpr std::string_view kPassingTool = "change";

}  // namespace braidlog::sim
