// Tool servers whose tools a test sets. Thread-safe.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_annotations.h"
#include "port/tool_server.h"

namespace braidlog::agent::testing {

class NamedTool final : public Tool {
 public:
  // `server` is held for as long as the tool lives, as a real one's is.
  explicit NamedTool(std::string name, std::shared_ptr<void> server = nullptr) : server_(std::move(server)) {
    spec_.name = std::move(name);
  }
  const ToolSpec& spec() const override { return spec_; }
  Status check(const json::value&) const override { return {}; }
  std::unique_ptr<ToolRun> start(ToolInvocation, Loop&, UniqueFunction<void(ToolOutcome)>) override { return nullptr; }

 private:
  ToolSpec spec_;
  std::shared_ptr<void> server_;
};

class FakeToolServer final : public ToolServer {
 public:
  FakeToolServer(api::McpServer description, std::function<void()> changed)
      : description_(std::move(description)), changed_(std::move(changed)) {}
  ~FakeToolServer() override { *is_gone_ = true; }

  // Whether it still lives, to be asked when it may not.
  std::shared_ptr<const bool> is_gone() const { return is_gone_; }

  // By their own names. Tells those who want to know, with its own lock held: the worst that a server can do.
  void offer(const std::vector<std::string>& names) {
    const MutexLock lock(mutex_);
    tools_.clear();
    for (const auto& name : names)
      tools_.push_back(std::make_shared<NamedTool>(description_.name + "__" + name, life_));
    changed_();
  }
  void be_in_trouble(std::string trouble) {
    const MutexLock lock(mutex_);
    trouble_ = std::move(trouble);
  }
  // What happens while somebody waits for it to come up.
  void when_waited_for(std::function<void()> work) { when_waited_for_ = std::move(work); }
  std::size_t waits() const { return waits_; }

  std::vector<std::shared_ptr<Tool>> tools() const override {
    const MutexLock lock(mutex_);
    return tools_;
  }
  std::string trouble() const override {
    const MutexLock lock(mutex_);
    return trouble_;
  }
  void wait_until_ready() override {
    ++waits_;
    if (when_waited_for_) when_waited_for_();
  }

 private:
  const api::McpServer description_;
  const std::function<void()> changed_;
  const std::shared_ptr<int> life_ = std::make_shared<int>(0);
  const std::shared_ptr<bool> is_gone_ = std::make_shared<bool>(false);
  std::function<void()> when_waited_for_;
  std::size_t waits_ = 0;
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Tool>> tools_ GUARDED_BY(mutex_);
  std::string trouble_ GUARDED_BY(mutex_);
};

class FakeToolServers {
 public:
  // The n-th that was made under this name, for as long as it lives.
  std::shared_ptr<FakeToolServer> get(const std::string& name, std::size_t n = 0) const {
    return n < count(name) ? made_.at(name)[n].lock() : nullptr;
  }
  std::size_t count(const std::string& name) const { return made_.contains(name) ? made_.at(name).size() : 0; }
  // Before the load that makes it. `when_made` sees it.
  void when_made(std::function<void(FakeToolServer&)> work) { when_made_ = std::move(work); }

  ToolServerFactory factory() {
    return [this](const api::McpServer& description,
                  std::function<void()> changed) -> Result<std::shared_ptr<ToolServer>> {
      if (description.url.ends_with("/impossible")) return fail(ErrorCode::kBadField, "this is impossible");
      auto server = std::make_shared<FakeToolServer>(description, std::move(changed));
      made_[description.name].push_back(server);
      if (when_made_) when_made_(*server);
      return server;
    };
  }

 private:
  std::map<std::string, std::vector<std::weak_ptr<FakeToolServer>>> made_;
  std::function<void(FakeToolServer&)> when_made_;
};

}  // namespace braidlog::agent::testing
