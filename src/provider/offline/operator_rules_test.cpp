#include <gtest/gtest.h>

#include "base/json.h"
#include "provider/testing/offline_chat.h"

namespace braidlog::provider {
namespace {

using testing::OfflineChat;

// The call that is made, as "name args"; empty when there is none.
std::string call(const std::string& ask) {
  OfflineChat chat({"system_status", "alert_admin"});
  const auto turn = chat.ask(ask);
  if (turn.calls.empty()) return "";
  EXPECT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.text, "");
  return turn.calls[0].name + " " + turn.calls[0].args;
}

std::string alert(const std::string& message, const std::string& priority) {
  return "alert_admin {\"message\":\"" + message + "\",\"priority\":\"" + priority + "\"}";
}

TEST(OperatorRules, ARequestForTheAdminIsAnAlert) {
  EXPECT_EQ(call("Alert the admin that the database is down"), alert("the database is down", "high"));
  EXPECT_EQ(call("Please notify the admin: disk is at 90 %"), alert("disk is at 90 %", "normal"));
  EXPECT_EQ(call("The payment system is down, please alert the admin"), alert("The payment system is down", "high"));
  EXPECT_EQ(call("Can you page the on-call?"), alert("A user asks for an administrator.", "normal"));
  EXPECT_EQ(call("Escalate this to an administrator, it is urgent"), alert("it is urgent", "critical"));
  EXPECT_EQ(call("Tell the admin about the new logo, no rush."), alert("the new logo, no rush.", "low"));
  EXPECT_EQ(call("Alert the admin with high priority: backups are late"), alert("backups are late", "high"));
  EXPECT_EQ(call("Alert the admin, low priority"), alert("low priority", "low"));
}

TEST(OperatorRules, AReportedFailureIsAnAlert) {
  EXPECT_EQ(call("There is a system failure"), alert("User reports: There is a system failure", "high"));
  EXPECT_EQ(call("The web shop is down!"), alert("User reports: The web shop is down!", "high"));
  EXPECT_EQ(call("We have an outage, this is an emergency"),
            alert("User reports: We have an outage, this is an emergency", "critical"));
}

TEST(OperatorRules, SpeakingOfAlertsIsNone) {
  for (const char* ask : {"How do I alert the admin?", "Did you alert the admin?", "Do not alert the admin",
                          "Don't alert the admin, although the mail server is down", "Tell me who the admin is",
                          "If the server is down, what then?", "Hello", "Call me later", "What is an outage"}) {
    EXPECT_EQ(call(ask).find("alert_admin"), std::string::npos) << ask;
  }
}

TEST(OperatorRules, AStatusQuestionLooksAtTheServer) {
  for (const char* ask : {"Can you check the system status?", "Check server status", "Is the system down?",
                          "How is the server doing?", "is everything ok", "What is your uptime?"}) {
    EXPECT_EQ(call(ask), "system_status {}") << ask;
  }
  EXPECT_EQ(call("What is love?"), "");
}

TEST(OperatorRules, TellsTheTicket) {
  OfflineChat chat({"alert_admin"});
  chat.ask("There is a system failure");
  chat.result("call_1", R"({"status":"sent","ticket_id":42})");
  EXPECT_EQ(chat.turn().text, "Done. I alerted the admin with priority high. The ticket is 42.");
}

TEST(OperatorRules, AnAlertThatFailedIsNotClaimed) {
  OfflineChat chat({"alert_admin"});
  chat.ask("There is a system failure");
  chat.result("call_1", "the alert could not be kept; nobody was alerted");
  EXPECT_EQ(chat.turn().text, "I could not alert the admin: the alert could not be kept; nobody was alerted");
  chat.ask("There is a system failure");
  EXPECT_EQ(chat.turn().text, "I could not alert the admin: no result came back");
}

TEST(OperatorRules, TellsTheFigures) {
  OfflineChat chat({"system_status"});
  chat.ask("status?");
  chat.result("call_1",
              R"({"status":"healthy","version":"1.2.3","uptime_seconds":7500,"store_healthy":true,"draining":false,)"
              R"("runs_open":1,"streams_open":2,"connections_open":3,"requests_total":118,"resident_bytes":47185920})");
  EXPECT_EQ(
      chat.turn().text,
      "The server is healthy: version 1.2.3, up for 2 hours 5 minutes, with 1 open run, 2 open streams and 3 open "
      "connections. It has served 118 requests and uses 45 MiB of memory.");
  chat.ask("status?");
  chat.result("call_2", "timed out");
  EXPECT_EQ(chat.turn().text, "I could not look at the status: timed out");
}

TEST(OperatorRules, WithoutTheirToolsTheyOnlyTalk) {
  OfflineChat chat;
  EXPECT_TRUE(chat.ask("Alert the admin: fire").calls.empty());
  EXPECT_TRUE(chat.ask("status?").calls.empty());
}

}  // namespace
}  // namespace braidlog::provider
