#include "tool/mcp/mcp_tool.h"

#include <utility>

namespace braidlog::tool::mcp {

namespace {

// Takes the call back when it is let go of; one that is over does not mind.
class McpRun final : public ToolRun {
 public:
  McpRun(std::unique_ptr<ToolRun> waiting, std::shared_ptr<const Lease> lease, std::uint64_t key)
      : waiting_(std::move(waiting)), lease_(std::move(lease)), key_(key) {}
  ~McpRun() override {
    lease_->with_server([key = key_](Server& server) { server.cancel(key); });
  }

 private:
  std::unique_ptr<ToolRun> waiting_;
  std::shared_ptr<const Lease> lease_;
  const std::uint64_t key_;
};

}  // namespace

Status McpTool::check(const json::value& args) const {
  if (!args.is_object()) return fail(ErrorCode::kToolInvalidArguments, "arguments: expected object");
  return plan_->arguments ? plan_->arguments->check(args) : Status{};
}

std::unique_ptr<ToolRun> McpTool::start(ToolInvocation invocation, Loop& loop, Done done) {
  PendingCall call = wait_for_outcome(loop, std::move(done));
  const auto key = lease_->core().next_key();
  lease_->with_server(
      [key, plan = plan_, args = std::move(invocation.args), finish = std::move(call.finish)](Server& server) mutable {
        server.call(key, std::move(plan), args.is_object() ? std::move(args.get_object()) : json::object{},
                    std::move(finish));
      });
  return std::make_unique<McpRun>(std::move(call.run), lease_, key);
}

}  // namespace braidlog::tool::mcp
