#include <gtest/gtest.h>

#include "tool/operations/alert_admin.h"
#include "tool/operations/system_status.h"
#include "tool/testing/recording_alerts.h"
#include "tool/testing/tool_caller.h"

namespace braidlog::tool {
namespace {

class AlertAdminTest : public ::testing::Test {
 protected:
  // A call as a run makes it, with the ids that name it.
  ToolOutcome call(std::string_view args, std::uint8_t call_number = 1) {
    ToolInvocation invocation;
    invocation.run_id = RunId{{{7}}};
    invocation.session_id = SessionId{{{8}}};
    invocation.user_id = "ada";
    invocation.call_id = ToolCallId{{{call_number}}};
    invocation.args = parse_json(args).value();
    EXPECT_TRUE(tool_.check(invocation.args));
    std::optional<ToolOutcome> outcome;
    const auto run = tool_.start(std::move(invocation), caller_.loop(), [&](ToolOutcome o) { outcome = std::move(o); });
    EXPECT_FALSE(outcome);
    caller_.loop().run_ready();
    return outcome.value();
  }

  testing::RecordingAlerts alerts_;
  AlertAdmin tool_{alerts_};
  testing::ToolCaller caller_;
};

TEST_F(AlertAdminTest, KeepsTheAlertAndGivesItsTicket) {
  const auto outcome = call(R"({"message":"User is reporting a system failure","priority":"high"})");
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(to_json(outcome.value), R"({"status":"sent","ticket_id":42})");
  ASSERT_EQ(alerts_.kept.size(), 1u);
  const api::Alert& alert = alerts_.kept[0];
  EXPECT_EQ(alert.message, "User is reporting a system failure");
  EXPECT_EQ(alert.priority, "high");
  EXPECT_EQ(alert.user_id, "ada");
  EXPECT_EQ(alert.run_id, (RunId{{{7}}}));
  EXPECT_EQ(alert.session_id, (SessionId{{{8}}}));
  EXPECT_EQ(alert.call_id, (ToolCallId{{{1}}}));
  EXPECT_EQ(to_iso8601(alert.at), "2026-02-14T21:03:00.000Z");
}

TEST_F(AlertAdminTest, TheSameCallAgainIsTheSameAlert) {
  call(R"({"message":"disk is full"})");
  EXPECT_EQ(to_json(call(R"({"message":"disk is full"})").value), R"({"status":"sent","ticket_id":42})");
  EXPECT_EQ(alerts_.kept.size(), 1u);
  EXPECT_EQ(alerts_.kept[0].priority, "normal");
  EXPECT_EQ(to_json(call(R"({"message":"disk is full"})", 2).value), R"({"status":"sent","ticket_id":43})");
  EXPECT_TRUE(tool_.spec().writes);
  EXPECT_TRUE(tool_.spec().idempotent);
}

TEST_F(AlertAdminTest, AnAlertThatIsNotKeptIsNotSent) {
  alerts_.break_with(ErrorCode::kStorage);
  auto outcome = call(R"({"message":"x"})");
  EXPECT_EQ(outcome.status, ToolStatus::kToolError);
  EXPECT_EQ(outcome.text, "the alert could not be kept; nobody was alerted");
  alerts_.break_with(ErrorCode::kOutcomeUnknown);
  outcome = call(R"({"message":"x"})");
  EXPECT_EQ(outcome.status, ToolStatus::kOutcomeUnknown);
  EXPECT_EQ(outcome.text, "it is not known whether the alert was kept");
}

TEST_F(AlertAdminTest, ArgumentsAreChecked) {
  const auto message = [&](std::string_view args) {
    const auto status = tool_.check(parse_json(args).value());
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(message(R"({})"), "message: is required");
  EXPECT_EQ(message(R"({"message":"x","priority":"huge"})"),
            R"(priority: expected one of "low", "normal", "high", "critical")");
  EXPECT_EQ(message("{\"message\":\"" + std::string(4001, 'x') + "\"}"), "message: must have at most 4000 characters");
  EXPECT_EQ(call(R"({"message":" \n"})").status, ToolStatus::kInvalidArguments);
  EXPECT_TRUE(alerts_.kept.empty());
}

TEST_F(AlertAdminTest, ACancelledCallIsSilentButTheAlertIsKept) {
  auto run = caller_.start(tool_, R"({"message":"x"})");
  run.reset();
  caller_.loop().run_ready();
  EXPECT_FALSE(caller_.outcome());
  EXPECT_EQ(alerts_.kept.size(), 1u);
}

TEST_F(AlertAdminTest, SaysWhatItIsDoing) {
  EXPECT_EQ(tool_.spec().display_running, "Alerting admin...");
  EXPECT_EQ(tool_.spec().display_done, "Admin alerted successfully");
}

class FixedStatus final : public ServerStatus {
 public:
  ServerFigures figures() const override { return now; }
  ServerFigures now{.version = "1.2.3",
                    .uptime_seconds = 200,
                    .runs_open = 1,
                    .streams_open = 2,
                    .connections_open = 3,
                    .requests_total = 118,
                    .resident_bytes = 45'000'000};
};

TEST(SystemStatusTool, GivesTheFiguresOfTheMoment) {
  FixedStatus status;
  SystemStatus tool(status);
  testing::ToolCaller caller;
  EXPECT_EQ(to_json(caller.call(tool, "{}").value),
            R"({"status":"healthy","version":"1.2.3","uptime_seconds":200,"store_healthy":true,"draining":false,)"
            R"("runs_open":1,"streams_open":2,"connections_open":3,"requests_total":118,"resident_bytes":45000000})");
  status.now.draining = true;
  EXPECT_EQ(caller.call(tool, "{}").value.at("status"), "draining");
  status.now.store_healthy = false;
  EXPECT_EQ(caller.call(tool, "{}").value.at("status"), "degraded");
  EXPECT_FALSE(tool.spec().writes);
  EXPECT_FALSE(tool.check(parse_json(R"({"x":1})").value()));
  EXPECT_EQ(tool.spec().display_running, "Checking system status...");
  EXPECT_EQ(tool.spec().display_done, "System status checked");
}

}  // namespace
}  // namespace braidlog::tool
