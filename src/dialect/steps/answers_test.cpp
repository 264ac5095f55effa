// The routes beside the stream: interrupt, tokens, steps.
#include "dialect/testing/steps_fixture.h"

namespace braidlog::steps {
namespace {

class StepsAnswers : public StepsFixture {
 protected:
  api::Session busy() const {
    api::Session s = session();
    s.active_run = run_id;
    return s;
  }
};

TEST_F(StepsAnswers, InterruptStopsTheRunOfTheSession) {
  service.reply<api::GetSession>(busy());
  service.reply<api::Interrupt>(run(RunStatus::kInterrupting));
  const auto response = post(base + "/interrupt");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"success":true,"message":"Agent interrupted"})");
  const auto& asked = service.asked<api::Interrupt>().at(0);
  EXPECT_EQ(asked.id, run_id);
  EXPECT_EQ(asked.session_id, session_id);
  EXPECT_EQ(asked.reason, "user");
}

TEST_F(StepsAnswers, ThereMayBeNothingToInterrupt) {
  service.reply<api::GetSession>(session());
  EXPECT_EQ(error_of(post(base + "/interrupt")), "404 No active run found for this session");
  EXPECT_EQ(post(base + "/interrupt").body, R"({"error":"No active run found for this session"})");
  EXPECT_TRUE(service.asked<api::Interrupt>().empty());
  service.reply<api::GetSession>(busy());
  for (const auto status : {RunStatus::kCompleted, RunStatus::kFailed, RunStatus::kInterrupted}) {
    service.reply<api::Interrupt>(run(status));
    EXPECT_EQ(error_of(post(base + "/interrupt")), "404 No active run found for this session") << "it was faster";
  }
}

TEST_F(StepsAnswers, InterruptOfASessionThatIsNotTheCallers) {
  service.reply<api::GetSession>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  EXPECT_EQ(error_of(post(base + "/interrupt")), "404 Session not found");
  EXPECT_EQ(error_of(post("/sessions/nope/interrupt")), "404 Session not found");
  service.reply<api::GetSession>(busy());
  service.reply<api::Interrupt>(fail(ErrorCode::kRunNotFound, "Run not found"));
  EXPECT_EQ(error_of(post(base + "/interrupt")), "404 Session not found") << "an admin sees it and may not stop it";
  service.reply<api::Interrupt>(fail(ErrorCode::kStorage, "disk"));
  EXPECT_EQ(post(base + "/interrupt").status, 503);
}

TEST_F(StepsAnswers, TokensAreTheSumOfTheSession) {
  auto used = session();
  used.usage = Usage{.input_tokens = 150, .output_tokens = 50, .cached_input_tokens = 99, .reasoning_tokens = 7};
  service.reply<api::GetSession>(used);
  const auto response = get(base + "/tokens");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"tokens":{"input_tokens":150,"output_tokens":50,"total_tokens":200}})");
  service.reply<api::GetSession>(session());
  EXPECT_EQ(get(base + "/tokens").body, R"({"tokens":{"input_tokens":0,"output_tokens":0,"total_tokens":0}})");
  EXPECT_EQ(service.asked<api::GetSession>().at(0).id, session_id);
}

TEST_F(StepsAnswers, StepsAreListedAsTheyWereSent) {
  service.reply<api::ListSteps>(api::StepList{});
  EXPECT_EQ(get(base + "/steps").body, R"({"steps":[]})");
  PlanMade plan{.step_number = 1, .text = "Multiply.", .usage = Usage{.input_tokens = 150, .output_tokens = 50}};
  StepFinished step{.step_number = 2, .model_output = "I do.", .code_action = "6*7", .observations = "42"};
  StepFinished failed{.step_number = 3, .observations = "x", .error = "no"};
  service.reply<api::ListSteps>(api::StepList{plan, step, failed});
  EXPECT_EQ(get(base + "/steps").body,
            R"({"steps":[{"type":"step","step_type":"planning","step_number":1,"plan":"Multiply.",)"
            R"("token_usage":{"input_tokens":150,"output_tokens":50,"total_tokens":200}},)"
            R"({"type":"step","step_type":"action","step_number":2,"model_output":"I do.","code_action":"6*7",)"
            R"("observations":"42","error":null},)"
            R"({"type":"step","step_type":"action","step_number":3,"model_output":"","code_action":null,)"
            R"("observations":"x","error":"no"}]})");
  EXPECT_EQ(service.asked<api::ListSteps>().at(0).session_id, session_id);
}

TEST_F(StepsAnswers, LongTextsOfStepsAreCutAsInFrames) {
  limits.wire_text_bytes_max = 4;
  service.reply<api::ListSteps>(api::StepList{PlanMade{.step_number = 1, .text = "123456"}});
  EXPECT_NE(get(base + "/steps").body.find("\"plan\":\"1234\u2026 [cut: 2 bytes]\""), std::string::npos);
}

TEST_F(StepsAnswers, UnknownSessions) {
  for (const char* name : {"/tokens", "/steps"}) {
    EXPECT_EQ(error_of(get("/sessions/nope" + std::string(name))), "404 Session not found");
  }
  service.reply<api::GetSession>(fail(ErrorCode::kSessionNotFound, ""));
  service.reply<api::ListSteps>(fail(ErrorCode::kSessionNotFound, ""));
  EXPECT_EQ(error_of(get(base + "/tokens")), "404 Session not found");
  EXPECT_EQ(error_of(get(base + "/steps")), "404 Session not found");
}

}  // namespace
}  // namespace braidlog::steps
