#include "agent/server_pool.h"

#include "base/log.h"

namespace braidlog::agent {

void ServerPool::add_running(const api::McpServer& description, std::shared_ptr<ToolServer> server) {
  known_.emplace_back(description, std::move(server));
}

Result<std::shared_ptr<ToolServer>> ServerPool::get(const api::McpServer& description) {
  for (const auto& [known, server] : known_) {
    if (known == description) return server;
  }
  if (!make_) return fail(ErrorCode::kBadField, "MCP servers cannot be used here");
  auto made = make_(description, changed_);
  if (!made) return made;
  known_.emplace_back(description, *made);
  new_.emplace_back(description, *made);
  return made;
}

void ServerPool::wait_for_new() {
  for (const auto& [description, server] : new_) {
    server->wait_until_ready();
    const auto trouble = server->trouble();
    if (!trouble.empty()) {
      log_warn("an MCP server is not up; its agents run without its tools until it is",
               {{"server", description.name}, {"trouble", trouble}});
    }
  }
  new_.clear();
}

}  // namespace braidlog::agent
