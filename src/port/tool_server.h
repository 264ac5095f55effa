// A program or a service outside that offers tools of its own: an MCP server. It may come up late, change its tools,
// fall and come back while this server runs. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/agent.h"
#include "base/result.h"
#include "port/tool.h"

namespace braidlog {

class ToolServer {
 public:
  // What it started is ended once nobody holds this or one of its tools.
  virtual ~ToolServer() = default;
  // Those of now, named "server__tool", by name; each is immutable. None while it is not up for the first time; a
  // server that fell keeps the last ones, whose calls then bring it back or say that it is down.
  virtual std::vector<std::shared_ptr<Tool>> tools() const = 0;
  // Empty when all is well; else one line for the operator.
  virtual std::string trouble() const = 0;
  // Waits until it is up for the first time, has failed, or its time to start is over. Not on an io thread.
  virtual void wait_until_ready() = 0;
};

// `changed` comes from any thread whenever tools() gives others than before, never from inside the factory, and not
// after the ToolServer is gone. kBadField: what the operator wrote cannot work (a variable that is not set).
using ToolServerFactory =
    std::function<Result<std::shared_ptr<ToolServer>>(const api::McpServer& server, std::function<void()> changed)>;

}  // namespace braidlog
