// The agents that can be run now. An entry is immutable: a run keeps the one it began with, whatever is reloaded.
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/agent.h"
#include "port/model.h"
#include "port/sandbox.h"
#include "port/tool.h"

namespace braidlog {

struct RunnableAgent {
  api::Agent agent;
  std::shared_ptr<Model> model;
  std::vector<std::shared_ptr<Tool>> tools;  // in the order of agent.tools, without the engine's own
  std::shared_ptr<Sandbox> sandbox{};        // of an agent of style code

  Tool* find_tool(std::string_view name) const {
    for (const auto& tool : tools) {
      if (tool->spec().name == name) return tool.get();
    }
    return nullptr;
  }
};

// An agent with what it was made of.
struct DescribedAgent {
  std::shared_ptr<const RunnableAgent> runnable;
  std::optional<std::string> file{};  // none: one of the binary's own
  std::string yaml{};
};
// All that is known of the agents at one moment.
struct CatalogView {
  std::vector<DescribedAgent> agents;     // by name
  std::vector<api::AgentFault> faults{};  // of the last load
};

// NAME with this before it is the same agent under the same approval rules, with a model that calls the tool it is told
// to (`call TOOL {…}`) and knows nothing else. It stands in no list.
inline constexpr std::string_view kTryPrefix = "try:";

class AgentCatalog {
 public:
  virtual ~AgentCatalog() = default;
  virtual std::shared_ptr<const RunnableAgent> find(std::string_view name) const = 0;  // null: unknown
  virtual std::vector<std::shared_ptr<const RunnableAgent>> all() const = 0;           // by name
  virtual CatalogView view() const = 0;
  // The agent a contract uses when neither request nor session names one.
  virtual std::string default_for(std::string_view contract) const = 0;
};

}  // namespace braidlog
