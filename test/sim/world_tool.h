// A tool that changes the world, after a while, or fails, or hangs. The world remembers how often each call changed it,
// over every crash; a call that is given up may have its effect all the same.
#pragma once

#include <memory>
#include <utility>

#include "checker.h"
#include "dialect/contracts.h"
#include "port/agent_catalog.h"
#include "script_model.h"

namespace braidlog::sim {

class WorldTool final : public Tool {
 public:
  WorldTool(World& world, Checker& checker, ToolSpec spec) : world_(world), checker_(checker), spec_(std::move(spec)) {}

  const ToolSpec& spec() const override { return spec_; }
  Status check(const json::value& args) const override;
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  World& world_;
  Checker& checker_;
  ToolSpec spec_;
};

// The agents of cast.h. `after_restart`: where the profile says so, one agent and one tool are gone.
class SimCatalog final : public AgentCatalog {
 public:
  SimCatalog(World& world, Checker& checker, bool after_restart);

  std::shared_ptr<const RunnableAgent> find(std::string_view name) const override;
  std::vector<std::shared_ptr<const RunnableAgent>> all() const override { return agents_; }
  CatalogView view() const override { return {}; }
  std::string default_for(std::string_view contract) const override {
    return contract == kStepsContract ? "coder" : contract == kTasksContract ? "planner" : "asker";
  }

 private:
  std::vector<std::shared_ptr<const RunnableAgent>> agents_;
};

}  // namespace braidlog::sim
