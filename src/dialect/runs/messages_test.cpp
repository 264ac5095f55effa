#include "dialect/testing/runs_fixture.h"

namespace braidlog::runs {
namespace {

class RunsMessages : public RunsFixture {
 protected:
  const std::string path = "/api/v1/sessions/" + std::string(kSession) + "/messages";
  const api::StartRun& command() const { return service.asked<api::StartRun>().back(); }
};

TEST_F(RunsMessages, StartsARun) {
  service.reply<api::StartRun>(api::StartedRun{run_id, false});
  const auto response = post(path, R"({"message":"Hello","other":1})");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, R"({"run_id":"run_01KHF0000070008000000000R1","status":"queued"})");
  EXPECT_EQ(command().session_id, session_id);
  EXPECT_EQ(command().contract, "runs");
  EXPECT_EQ(command().way, Way::kConverse);
  EXPECT_EQ(command().text, "Hello");
  EXPECT_EQ(command().agent, "");
  EXPECT_EQ(command().context, std::nullopt);
  EXPECT_EQ(command().idempotency_key, "");
}

TEST_F(RunsMessages, IgnoresLastEventId) {
  service.reply<api::StartRun>(api::StartedRun{run_id, false});
  const auto response = post(path, R"({"message":"Hello"})", {{"Last-Event-ID", "evt_x"}});
  EXPECT_EQ(response.status, 202);
}

TEST_F(RunsMessages, KeyOfTheBodyOrOfTheHeader) {
  service.reply<api::StartRun>(api::StartedRun{run_id, true});
  EXPECT_EQ(post(path, R"({"message":"Hello","idempotency_key":"k"})").status, 202);
  EXPECT_EQ(command().idempotency_key, "k");
  const std::string fingerprint = command().fingerprint;
  EXPECT_EQ(post(path, R"({"message":"Hello"})", {{"Idempotency-Key", "k"}}).status, 202);
  EXPECT_EQ(command().idempotency_key, "k");
  EXPECT_EQ(command().fingerprint, fingerprint) << "where the key stands makes no difference";
  EXPECT_EQ(post(path, R"({"message":"Hello","idempotency_key":"k"})", {{"idempotency-key", "k"}}).status, 202);
  EXPECT_EQ(
      post("/api/v1/sessions/" + to_uuid(session_id) + "/messages", R"({"message":"Hello","idempotency_key":"k"})")
          .status,
      202);
  EXPECT_EQ(command().fingerprint, fingerprint) << "the spelling of the session makes no difference";
  post(path, R"({"message":"Hello!","idempotency_key":"k"})");
  EXPECT_NE(command().fingerprint, fingerprint);
}

TEST_F(RunsMessages, RefusesWrongKeys) {
  const std::string long_key(256, 'k');
  EXPECT_EQ(error_of(post(path, R"({"message":"Hello","idempotency_key":"a"})", {{"Idempotency-Key", "b"}})),
            "400 BAD_REQUEST");
  EXPECT_EQ(error_of(post(path, R"({"message":"Hello"})", {{"Idempotency-Key", ""}})), "400 BAD_REQUEST");
  EXPECT_EQ(error_of(post(path, R"({"message":"Hello"})", {{"Idempotency-Key", "\xff"}})), "400 BAD_REQUEST");
  EXPECT_EQ(error_of(post(path, R"({"message":"Hello"})", {{"Idempotency-Key", long_key}})), "400 BAD_REQUEST");
  for (const std::string& key : {std::string("\"\""), std::string("1"), std::string("[]"), std::string("\"a\\u0000\""),
                                 "\"" + long_key + "\""}) {
    EXPECT_EQ(error_of(post(path, R"({"message":"Hello","idempotency_key":)" + key + "}")), "400 BAD_REQUEST") << key;
  }
  EXPECT_EQ(service.asked_count(), 0u);
  service.reply<api::StartRun>(api::StartedRun{run_id, false});
  EXPECT_EQ(post(path, R"({"message":"Hello","idempotency_key":")" + std::string(255, 'k') + "\"}").status, 202);
}

TEST_F(RunsMessages, RefusesWrongMessages) {
  for (const char* body :
       {"", "{}", "[]", "null", "\"Hello\"", "nope", R"({"message":null})", R"({"message":1})", R"({"message":["a"]})",
        R"({"message":""})", R"({"message":" \n\t"})", R"({"message":"\u00a0\u3000"})", R"({"message":"a\u0000b"})",
        R"({"message":"\ud800"})", "{\"message\":\"\xc3\"}", R"({"message":"a","message":"b"})"}) {
    EXPECT_EQ(error_of(post(path, body)), "400 BAD_REQUEST") << body;
  }
  const auto named = post(path, R"({"message":1})");
  EXPECT_EQ(named.body,
            R"({"error":{"code":"BAD_REQUEST","message":"`message` must be a string","details":{"field":"message"}}})");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(RunsMessages, TheLimitCountsBytes) {
  service.reply<api::StartRun>(api::StartedRun{run_id, false});
  limits.message_bytes_max = 6;
  EXPECT_EQ(post(path, R"({"message":"abcdef"})").status, 202);
  EXPECT_EQ(post(path, "{\"message\":\"\xe2\x82\xac\xe2\x82\xac\"}").status, 202);
  EXPECT_EQ(error_of(post(path, R"({"message":"abcdefg"})")), "400 BAD_REQUEST");
  EXPECT_EQ(error_of(post(path,
                          "{\"message\":\"\xe2\x82\xac\xe2\x82\xac"
                          "a\"}")),
            "400 BAD_REQUEST");
}

TEST_F(RunsMessages, FieldsBeforeObject) {
  EXPECT_EQ(error_of(post("/api/v1/sessions/nope/messages", "{}")), "400 BAD_REQUEST");
  EXPECT_EQ(error_of(post("/api/v1/sessions/nope/messages", R"({"message":"Hello"})")), "404 SESSION_NOT_FOUND");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(RunsMessages, WhatTheServiceRefuses) {
  const std::pair<ErrorCode, const char*> cases[] = {{ErrorCode::kSessionNotFound, "404 SESSION_NOT_FOUND"},
                                                     {ErrorCode::kAgentNotFound, "404 AGENT_NOT_FOUND"},
                                                     {ErrorCode::kActiveRunExists, "409 ACTIVE_RUN_EXISTS"},
                                                     {ErrorCode::kIdempotencyConflict, "409 IDEMPOTENCY_CONFLICT"},
                                                     {ErrorCode::kRateLimited, "429 RATE_LIMITED"},
                                                     {ErrorCode::kUnavailable, "503 UNAVAILABLE"},
                                                     {ErrorCode::kStorage, "503 UNAVAILABLE"},
                                                     {ErrorCode::kInternal, "500 INTERNAL_ERROR"}};
  for (const auto& [code, expected] : cases) {
    service.reply<api::StartRun>(fail(code, "told"));
    EXPECT_EQ(error_of(post(path, R"({"message":"Hello"})")), expected);
  }
}

TEST_F(RunsMessages, ABusySessionNamesItsRun) {
  service.reply<api::StartRun>(fail(ErrorCode::kActiveRunExists, "The session has an active run", kOtherRun));
  EXPECT_EQ(post(path, R"({"message":"Hello"})").body,
            R"({"error":{"code":"ACTIVE_RUN_EXISTS","message":"The session has an active run",)"
            R"("details":{"run_id":"run_01KHF0000070008000000000R2"}}})");
}

}  // namespace
}  // namespace braidlog::runs
