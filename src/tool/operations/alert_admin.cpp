#include "tool/operations/alert_admin.h"

#include <string>
#include <utility>

#include "base/utf8.h"
#include "tool/call.h"

namespace braidlog::tool {

namespace {

constexpr const char* kPriorityDefault = "normal";

ToolSpec alert_spec() {
  ToolSpec spec;
  spec.name = "alert_admin";
  spec.description = "Alerts the administrators of this server with a message and gives the number of its ticket.";
  spec.parameters_json =
      R"({"type":"object","properties":{"message":{"type":"string","minLength":1,"maxLength":4000,)"
      R"("description":"What happened and what is needed, in one or two sentences"},)"
      R"("priority":{"enum":["low","normal","high","critical"],"description":"normal when absent"}},)"
      R"("required":["message"],"additionalProperties":false})";
  spec.writes = true;
  spec.idempotent = true;
  spec.display_running = "Alerting admin...";
  spec.display_done = "Admin alerted successfully";
  return spec;
}

ToolOutcome outcome_of(const Result<std::uint64_t>& ticket) {
  if (ticket) return ToolOutcome::ok(json::object{{"status", "sent"}, {"ticket_id", *ticket}});
  if (ticket.error().code == ErrorCode::kOutcomeUnknown) {
    return ToolOutcome::error(ToolStatus::kOutcomeUnknown, "it is not known whether the alert was kept");
  }
  return ToolOutcome::error(ToolStatus::kToolError, "the alert could not be kept; nobody was alerted");
}

}  // namespace

AlertAdmin::AlertAdmin(Alerts& alerts) : SchemaTool(alert_spec()), alerts_(alerts) {}

std::unique_ptr<ToolRun> AlertAdmin::start(ToolInvocation invocation, Loop& loop,
                                           UniqueFunction<void(ToolOutcome)> done) {
  api::Alert alert;
  alert.at = loop.clock().wall();
  alert.user_id = std::move(invocation.user_id);
  alert.session_id = invocation.session_id;
  alert.run_id = invocation.run_id;
  alert.call_id = invocation.call_id;
  alert.message = string_argument(invocation.args, "message");
  alert.priority = string_argument(invocation.args, "priority");
  if (alert.priority.empty()) alert.priority = kPriorityDefault;
  if (is_blank(alert.message)) {
    return answer_later(loop, ToolOutcome::error(ToolStatus::kInvalidArguments, "message: must not be blank"),
                        std::move(done));
  }
  PendingCall call = wait_for_outcome(loop, std::move(done));
  alerts_.raise(std::move(alert), loop, [finish = std::move(call.finish)](Result<std::uint64_t> ticket) mutable {
    finish(outcome_of(ticket));
  });
  return std::move(call.run);
}

}  // namespace braidlog::tool
