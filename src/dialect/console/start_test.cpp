// POST /console/runs: what a run is asked for.
#include "dialect/contracts.h"
#include "dialect/testing/console_fixture.h"
#include "wire/testing/encode_base64.h"

namespace braidlog::console {
namespace {

class ConsoleStart : public ConsoleFixture {
 protected:
  HttpResponse start(std::string body, Headers headers = {}) {
    return post("/console/runs", std::move(body), std::move(headers));
  }
  // The refusal of a body.
  std::string refused(std::string body) {
    const std::string error = error_of(start(std::move(body)));
    EXPECT_EQ(service.asked_count(), 0u);
    return error;
  }
  static Headers form() { return {{"Content-Type", "multipart/form-data; boundary=b"}}; }
  static std::string part(const std::string& name, const std::string& content, const std::string& more = "") {
    return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"" + more + "\r\n\r\n" + content + "\r\n";
  }
};

TEST_F(ConsoleStart, AMessageIsARunOfTheRunsContract) {
  const auto response = start(R"({"message":"Hello there"})");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body,
            std::string(R"({"run_id":")") + kRun + R"(","session_id":")" + kSession + R"(","status":"running"})");
  EXPECT_EQ(command().contract, kRunsContract);
  EXPECT_EQ(command().way, Way::kConverse);
  EXPECT_EQ(command().text, "Hello there");
  EXPECT_EQ(command().title, "Hello there");
  EXPECT_EQ(command().agent, "");
  EXPECT_FALSE(command().session_id);
  EXPECT_FALSE(command().stops_with_client);
  EXPECT_FALSE(command().waits);
  EXPECT_EQ(service.asked<api::GetRun>().at(0).id, run_id);
}

TEST_F(ConsoleStart, TheWayChoosesTheContract) {
  start(R"({"message":"x","way":"steps","agent":"analyst"})");
  EXPECT_EQ(command().contract, kStepsContract);
  EXPECT_EQ(command().way, Way::kSteps);
  EXPECT_EQ(command().agent, "analyst");
  start(R"({"message":"x","way":"tasks"})");
  EXPECT_EQ(command().contract, kTasksContract);
  EXPECT_EQ(command().way, Way::kConverse);
  start(R"({"session_id":")" + to_uuid(session_id) + R"(","way":"execute"})");
  EXPECT_EQ(command().contract, kTasksContract);
  EXPECT_EQ(command().way, Way::kExecute);
  EXPECT_EQ(command().session_id, session_id);
  EXPECT_EQ(command().text, "");
}

TEST_F(ConsoleStart, FilesAsJsonAndAsAForm) {
  start(R"({"message":"Sum up","files":[{"filename":"a.txt","mime_type":"text/plain","content":")" +
        testing::encode_base64("alpha") + R"("}]})");
  ASSERT_EQ(command().files.size(), 1u);
  EXPECT_EQ(command().files[0].name, "a.txt");
  EXPECT_EQ(command().files[0].content, "alpha");
  start(part("message", "Sum up") + part("session_id", kSession) + part("way", "tasks") + part("agent", "planner") +
            part("files", "beta", "; filename=\"b.md\"") + part("files", "", "; filename=\"\"") + "--b--\r\n",
        form());
  EXPECT_EQ(command().text, "Sum up");
  EXPECT_EQ(command().agent, "planner");
  EXPECT_EQ(command().session_id, session_id);
  EXPECT_EQ(command().contract, kTasksContract);
  ASSERT_EQ(command().files.size(), 1u);
  EXPECT_EQ(command().files[0].name, "b.md");
  EXPECT_EQ(command().files[0].media_type, "text/markdown");
}

TEST_F(ConsoleStart, WhatIsRefused) {
  EXPECT_EQ(refused("{}"), "400 `message` is required");
  EXPECT_EQ(refused(R"({"message":" "})"), "400 `message` must not be blank");
  EXPECT_EQ(refused(R"({"message":5})"), "400 `message` must be a string");
  EXPECT_EQ(refused(R"({"message":"x","agent":" "})"), "400 `agent` must not be blank");
  EXPECT_EQ(refused(R"({"message":"x","way":"sideways"})"), "400 `way` must be converse, steps, tasks or execute");
  EXPECT_EQ(refused(R"({"message":"x","session_id":"nothing"})"), "404 Session not found");
  EXPECT_EQ(refused(R"({"way":"execute"})"), "400 `session_id` is required to execute its tasks");
  EXPECT_EQ(refused(std::string(R"({"way":"execute","message":"x","session_id":")") + kSession + "\"}"),
            "400 `message` must not be there: the tasks say what to do");
  EXPECT_EQ(
      refused(R"({"message":"x","files":[{"filename":"a.exe","mime_type":"x","content":"TVqQAAMA"}]})").substr(0, 3),
      "400");
  limits.message_bytes_max = 5;
  EXPECT_EQ(refused(R"({"message":"123456"})").substr(0, 3), "400");
}

TEST_F(ConsoleStart, TheSameKeyMeansTheSameRequest) {
  const auto fingerprint = [&](const std::string& body) {
    start(body, {{"Idempotency-Key", "k"}});
    EXPECT_EQ(command().idempotency_key, "k");
    return command().fingerprint;
  };
  const std::string first = fingerprint(R"({"message":"x","agent":"a"})");
  EXPECT_EQ(fingerprint(R"({"agent":"a","message":"x","way":"converse"})"), first);
  EXPECT_NE(fingerprint(R"({"message":"y","agent":"a"})"), first);
  EXPECT_NE(fingerprint(R"({"message":"x","agent":"b"})"), first);
  EXPECT_NE(fingerprint(R"({"message":"x","agent":"a","way":"steps"})"), first);
  EXPECT_NE(fingerprint(R"({"message":"x","agent":"a","files":[{"mime_type":"text/plain","content":"YQ=="}]})"), first);
}

TEST_F(ConsoleStart, ErrorsOfTheEngineAreTold) {
  service.reply<api::StartRun>(fail(ErrorCode::kActiveRunExists, "The session already has an active run"));
  EXPECT_EQ(error_of(start(R"({"message":"x"})")), "409 The session already has an active run");
  service.reply<api::StartRun>(fail(ErrorCode::kAgentNotFound, "There is no agent named x"));
  EXPECT_EQ(error_of(start(R"({"message":"x","agent":"x"})")), "404 There is no agent named x");
  service.reply<api::StartRun>(fail(ErrorCode::kRateLimited, "Slow down", "7"));
  const auto limited = start(R"({"message":"x"})");
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(header(limited, "Retry-After"), "7");
}

}  // namespace
}  // namespace braidlog::console
