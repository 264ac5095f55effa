// The tool servers of one load of agents. One that runs already is not started again, and agents that describe the same
// server share it. Used by one thread.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "api/agent.h"
#include "base/result.h"
#include "port/tool_server.h"

namespace braidlog::agent {

class ServerPool {
 public:
  // `make` may be empty: then nothing can be had. `changed` is what every server tells of its tools.
  ServerPool(const ToolServerFactory& make, std::function<void()> changed)
      : make_(make), changed_(std::move(changed)) {}

  void add_running(const api::McpServer& description, std::shared_ptr<ToolServer> server);
  // kBadField.
  Result<std::shared_ptr<ToolServer>> get(const api::McpServer& description);
  // All that were made here were started at once; waits for each, and says in the log which are in trouble.
  void wait_for_new();

 private:
  using Described = std::pair<api::McpServer, std::shared_ptr<ToolServer>>;

  const ToolServerFactory& make_;
  const std::function<void()> changed_;
  std::vector<Described> known_;
  std::vector<Described> new_;
};

}  // namespace braidlog::agent
