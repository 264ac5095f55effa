// system_status {}: how this server is doing. The value is an object of the figures of port/server_status.h, with
// "status" as their sum: "healthy", "draining", or "degraded" when the store refuses to write. Reads only.
#pragma once

#include "port/server_status.h"
#include "tool/schema.h"

namespace braidlog::tool {

class SystemStatus final : public SchemaTool {
 public:
  // `status` outlives the tool.
  explicit SystemStatus(const ServerStatus& status);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  const ServerStatus& status_;
};

}  // namespace braidlog::tool
