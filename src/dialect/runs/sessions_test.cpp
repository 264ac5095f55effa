#include "dialect/testing/runs_fixture.h"

namespace braidlog::runs {
namespace {

class RunsSessions : public RunsFixture {};

TEST_F(RunsSessions, CreateWithDefaults) {
  service.reply<api::CreateSession>(session());
  for (const char* body : {"", "{}", R"({"agent":null,"auto_approve":null,"unknown":[1]})"}) {
    const auto response = post("/api/v1/sessions", body);
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(response.body,
              R"({"session_id":"sess_01KHF0000070008000000000S1","created_at":"2026-02-14T21:03:00.000Z",)"
              R"("agent":"writer","settings":{"auto_approve":false}})");
    EXPECT_EQ(header(response, "Content-Type"), "application/json");
  }
  const auto& command = service.asked<api::CreateSession>().at(0);
  EXPECT_EQ(command.agent, "");
  EXPECT_EQ(command.contract, "runs");
  EXPECT_FALSE(command.auto_approve);
  EXPECT_EQ(service.callers().at(0).user_id, "demo");
}

TEST_F(RunsSessions, CreateWithFields) {
  auto made = session();
  made.auto_approve = true;
  made.agent.clear();
  service.reply<api::CreateSession>(made);
  const auto response = post("/api/v1/sessions", R"({"agent":"operator","auto_approve":true})");
  EXPECT_EQ(response.body, R"({"session_id":"sess_01KHF0000070008000000000S1","created_at":"2026-02-14T21:03:00.000Z",)"
                           R"("agent":null,"settings":{"auto_approve":true}})");
  EXPECT_EQ(service.asked<api::CreateSession>().at(0).agent, "operator");
  EXPECT_TRUE(service.asked<api::CreateSession>().at(0).auto_approve);
}

TEST_F(RunsSessions, CreateRefusesWrongBodies) {
  for (const char* body : {"[]", "null", "nope", R"({"agent":1})", R"({"agent":""})", R"({"auto_approve":"yes"})",
                           R"({"auto_approve":1})", "{\"agent\":\"\xff\"}"}) {
    EXPECT_EQ(error_of(post("/api/v1/sessions", body)), "400 BAD_REQUEST") << body;
  }
  EXPECT_EQ(service.asked_count(), 0u);
  service.reply<api::CreateSession>(fail(ErrorCode::kAgentNotFound, "Agent not found"));
  EXPECT_EQ(error_of(post("/api/v1/sessions", R"({"agent":"nobody"})")), "404 AGENT_NOT_FOUND");
}

TEST_F(RunsSessions, List) {
  service.reply<api::ListSessions>(api::SessionList{{session()}, 1});
  const auto response = get("/api/v1/sessions");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"items":[{"session_id":"sess_01KHF0000070008000000000S1","created_at":"2026-02-14T21:03:00.000Z",)"
            R"("agent":"writer","settings":{"auto_approve":false},"title":"New Session",)"
            R"("updated_at":"2026-02-14T21:03:00.000Z"}]})");
  EXPECT_EQ(service.asked<api::ListSessions>().at(0).limit, 100u);
  EXPECT_EQ(service.asked<api::ListSessions>().at(0).offset, 0u);
  get("/api/v1/sessions?limit=20&offset=40");
  EXPECT_EQ(service.asked<api::ListSessions>().at(1).limit, 20u);
  EXPECT_EQ(service.asked<api::ListSessions>().at(1).offset, 40u);
  EXPECT_FALSE(service.asked<api::ListSessions>().at(1).everybody);
  get("/api/v1/sessions?scope=all");
  EXPECT_TRUE(service.asked<api::ListSessions>().at(2).everybody);
}

TEST_F(RunsSessions, ListRefusesWrongPages) {
  for (const char* query : {"limit=0", "limit=101", "limit=x", "limit=", "limit=1x", "limit=-1", "offset=-1",
                            "offset=99999999999999999999", "limit=%ff", "scope=", "scope=own"}) {
    EXPECT_EQ(error_of(get("/api/v1/sessions?" + std::string(query))), "400 BAD_REQUEST") << query;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(RunsSessions, GetAcceptsEverySpelling) {
  auto found = session();
  found.active_run = run_id;
  found.pending_approvals = 2;
  found.usage = Usage{.input_tokens = 10, .output_tokens = 5};
  service.reply<api::GetSession>(found);
  for (const std::string& id : {to_prefixed(session_id), to_ulid(session_id), to_uuid(session_id)}) {
    const auto response = get("/api/v1/sessions/" + id);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body,
              R"({"session_id":"sess_01KHF0000070008000000000S1","created_at":"2026-02-14T21:03:00.000Z",)"
              R"("agent":"writer","settings":{"auto_approve":false},"active_run_id":"run_01KHF0000070008000000000R1",)"
              R"("pending_approvals_count":2,"usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}})");
    EXPECT_EQ(service.asked<api::GetSession>().back().id, session_id);
  }
}

TEST_F(RunsSessions, GetWithoutRunAndUsage) {
  service.reply<api::GetSession>(session());
  EXPECT_TRUE(get("/api/v1/sessions/" + std::string(kSession))
                  .body.ends_with(R"("active_run_id":null,"pending_approvals_count":0,"usage":null})"));
}

TEST_F(RunsSessions, Delete) {
  service.reply<api::DeleteSession>(api::DeletedSession{});
  const auto response = del("/api/v1/sessions/" + std::string(kSession));
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(service.asked<api::DeleteSession>().at(0).id, session_id);
}

TEST_F(RunsSessions, AutoApprove) {
  service.reply<api::SetAutoApprove>(api::AutoApprove{true});
  const std::string path = "/api/v1/sessions/" + std::string(kSession) + "/settings/auto-approve";
  const auto response = post(path, R"({"enabled":true})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"enabled":true})");
  EXPECT_EQ(service.asked<api::SetAutoApprove>().at(0).id, session_id);
  EXPECT_TRUE(service.asked<api::SetAutoApprove>().at(0).enabled);
  for (const char* body : {"", "{}", R"({"enabled":null})", R"({"enabled":1})", "[]"}) {
    EXPECT_EQ(error_of(post(path, body)), "400 BAD_REQUEST") << body;
  }
}

TEST_F(RunsSessions, AMalformedIdIsNotFoundAndNobodyIsAsked) {
  for (const std::string& id : {std::string("nope"), std::string(10'000, 'a'), std::string("..%2f..%2fetc"),
                                std::string("sess_01KHF0000070008000000000U1")}) {
    const std::string path = "/api/v1/sessions/" + id;
    EXPECT_EQ(error_of(get(path)), "404 SESSION_NOT_FOUND");
    EXPECT_EQ(error_of(response(call(Method::kDelete, path))), "404 SESSION_NOT_FOUND");
    EXPECT_EQ(error_of(post(path + "/settings/auto-approve", R"({"enabled":true})")), "404 SESSION_NOT_FOUND");
    EXPECT_EQ(error_of(post(path + "/settings/auto-approve", "{}")), "400 BAD_REQUEST") << "fields come first";
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(RunsSessions, UnknownIsNotFound) {
  service.reply<api::GetSession>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  service.reply<api::DeleteSession>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  service.reply<api::SetAutoApprove>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  const std::string path = "/api/v1/sessions/" + std::string(kSession);
  const auto unknown = get(path);
  EXPECT_EQ(error_of(unknown), "404 SESSION_NOT_FOUND");
  EXPECT_EQ(unknown.body, get("/api/v1/sessions/nope").body) << "unknown and malformed look the same";
  EXPECT_EQ(error_of(response(call(Method::kDelete, path))), "404 SESSION_NOT_FOUND");
  EXPECT_EQ(error_of(post(path + "/settings/auto-approve", R"({"enabled":true})")), "404 SESSION_NOT_FOUND");
}

}  // namespace
}  // namespace braidlog::runs
