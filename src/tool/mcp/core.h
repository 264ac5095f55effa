// The thread of all MCP servers and what lives on it. Shared by McpServers and by every tool, so that a tool which is
// let go of late finds something to talk to; what it says then is heard by nobody.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "net/io_thread.h"
#include "tool/mcp/server.h"

namespace braidlog::tool::mcp {

class Core {
 public:
  explicit Core(const Limits& limits) : limits_(limits) {}

  // Starts the thread if it does not run. kUnavailable.
  Status begin();
  // Ends all servers and the thread.
  void end();

  std::uint64_t next_key() { return next_key_++; }
  // From any thread. Servers are named by their keys, since they may be gone by the time the task runs.
  void add(std::uint64_t key, ServerPlan plan, std::shared_ptr<ServerView> view);
  void remove(std::uint64_t key);
  void with(std::uint64_t key, UniqueFunction<void(Server&)> task);

  const Limits& limits() const { return limits_; }

 private:
  IoThread& thread() { return *threads_.front(); }

  const Limits limits_;
  const SystemClock clock_;
  std::atomic<std::uint64_t> next_key_{1};
  Mutex mutex_;
  bool begun_ GUARDED_BY(mutex_) = false;
  // Set before the thread starts and until it has ended.
  IoThreads threads_;
  std::unique_ptr<HttpClients> clients_;
  // On the thread.
  std::optional<Farewells> farewells_;
  std::map<std::uint64_t, std::unique_ptr<Server>> servers_;
};

// Somebody still wants this server. Ends it when the last one goes.
class Lease {
 public:
  Lease(std::shared_ptr<Core> core, std::uint64_t key) : core_(std::move(core)), key_(key) {}
  ~Lease() { core_->remove(key_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Core& core() const { return *core_; }
  void with_server(UniqueFunction<void(Server&)> task) const { core_->with(key_, std::move(task)); }

 private:
  const std::shared_ptr<Core> core_;
  const std::uint64_t key_;
};

}  // namespace braidlog::tool::mcp
