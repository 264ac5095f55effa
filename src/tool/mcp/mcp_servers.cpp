#include "tool/mcp/mcp_servers.h"

#include <utility>
#include <vector>

#include "tool/mcp/core.h"
#include "tool/mcp/mcp_tool.h"

namespace braidlog::tool {

namespace {

using namespace mcp;

// Tools are made here and not on the MCP thread: what lives there must not hold what keeps it alive.
class McpToolServer final : public ToolServer {
 public:
  McpToolServer(std::shared_ptr<const Lease> lease, std::shared_ptr<ServerView> view,
                std::chrono::milliseconds patience)
      : lease_(std::move(lease)), view_(std::move(view)), patience_(patience) {}
  ~McpToolServer() override { view_->silence(); }

  std::vector<std::shared_ptr<Tool>> tools() const override {
    const auto plans = view_->tools();
    MutexLock lock(mutex_);
    if (plans != plans_) {
      plans_ = plans;
      tools_.clear();
      for (const auto& plan : plans_) tools_.push_back(std::make_shared<McpTool>(lease_, plan));
    }
    return tools_;
  }
  std::string trouble() const override { return view_->trouble(); }
  void wait_until_ready() override { view_->wait_until_settled(patience_); }

 private:
  const std::shared_ptr<const Lease> lease_;
  const std::shared_ptr<ServerView> view_;
  const std::chrono::milliseconds patience_;
  mutable Mutex mutex_;
  mutable ToolPlans plans_ GUARDED_BY(mutex_);
  mutable std::vector<std::shared_ptr<Tool>> tools_ GUARDED_BY(mutex_);
};

// The thread may be busy when the time to start is over.
constexpr std::chrono::milliseconds kSlack{1'000};

}  // namespace

class McpServers::Core final : public mcp::Core {
 public:
  Core(const Limits& limits, Environment environment_, OutboundRulesPtr rules_)
      : mcp::Core(limits), environment(std::move(environment_)), rules(std::move(rules_)) {}
  const Environment environment;
  const OutboundRulesPtr rules;

  std::shared_ptr<ServerView> make_view(std::function<void()> changed) {
    auto view = std::make_shared<ServerView>(std::move(changed));
    MutexLock lock(mutex_);
    if (given_up_) view->settle();
    std::erase_if(views_, [](const auto& other) { return other.expired(); });
    views_.push_back(view);
    return view;
  }
  void give_up() {
    MutexLock lock(mutex_);
    given_up_ = true;
    for (const auto& weak : views_) {
      if (const auto view = weak.lock()) view->settle();
    }
  }

 private:
  Mutex mutex_;
  bool given_up_ GUARDED_BY(mutex_) = false;
  std::vector<std::weak_ptr<ServerView>> views_ GUARDED_BY(mutex_);
};

McpServers::McpServers(const Limits& limits, Environment environment, OutboundRulesPtr rules)
    : core_(std::make_shared<Core>(limits, std::move(environment), std::move(rules))) {}

McpServers::~McpServers() {
  core_->end();
}

void McpServers::give_up() {
  core_->give_up();
}

Result<std::shared_ptr<ToolServer>> McpServers::make(const api::McpServer& server, std::function<void()> changed) {
  auto plan = plan_server(server, core_->environment, core_->rules);
  if (!plan) return fail(plan.error());
  if (auto begun = core_->begin(); !begun) return fail(begun.error());
  const auto key = core_->next_key();
  auto view = core_->make_view(std::move(changed));
  auto lease = std::make_shared<const Lease>(core_, key);
  core_->add(key, std::move(*plan), view);
  return std::make_shared<McpToolServer>(std::move(lease), std::move(view), core_->limits().mcp_start_timeout + kSlack);
}

}  // namespace braidlog::tool
