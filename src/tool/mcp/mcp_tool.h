// A tool of an MCP server. Runs on: the io thread of the run, from where it asks the MCP thread.
#pragma once

#include <memory>

#include "port/tool.h"
#include "tool/mcp/core.h"
#include "tool/mcp/tool_plan.h"

namespace braidlog::tool::mcp {

class McpTool final : public Tool {
 public:
  McpTool(std::shared_ptr<const Lease> lease, std::shared_ptr<const ToolPlan> plan)
      : lease_(std::move(lease)), plan_(std::move(plan)) {}

  const ToolSpec& spec() const override { return plan_->spec; }
  Status check(const json::value& args) const override;
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop, Done done) override;

 private:
  const std::shared_ptr<const Lease> lease_;
  const std::shared_ptr<const ToolPlan> plan_;
};

}  // namespace braidlog::tool::mcp
