// alert_admin {message, priority?}: leaves a message for the administrators. The value is
// {"status":"sent","ticket_id":N}. It goes outside the server, so it writes; but the store keeps one alert per call, so
// it may be tried again after a crash.
#pragma once

#include "port/alerts.h"
#include "tool/schema.h"

namespace braidlog::tool {

class AlertAdmin final : public SchemaTool {
 public:
  // `alerts` outlives the tool.
  explicit AlertAdmin(Alerts& alerts);
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  Alerts& alerts_;
};

}  // namespace braidlog::tool
