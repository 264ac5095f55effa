#include "dialect/sessions/routes.h"
#include "dialect/testing/route_fixture.h"

namespace braidlog::sessions {
namespace {

using testing::kSession;

class Sessions : public testing::RouteFixture<SessionsDialect> {
 protected:
  const std::string path = "/sessions/" + to_uuid(session_id);

  // Status and text of an error, "404 Session not found", after a look at its shape.
  static std::string error_of(const HttpResponse& response) {
    const auto body = parse_json(response.body);
    if (!body || !body->is_object()) return std::to_string(response.status) + " without a body";
    const auto& fields = body->get_object();
    if (fields.size() != 1 || !fields.contains("error")) return std::to_string(response.status) + " without an error";
    return std::to_string(response.status) + " " + std::string(fields.at("error").as_string());
  }
};

constexpr char kFields[] =
    R"("id":"019c5e00-0000-3800-0400-000000000321","session_id":"019c5e00-0000-3800-0400-000000000321",)"
    R"("title":"New Session","status":"planning","createdAt":"2026-02-14T21:03:00.000Z",)"
    R"("updatedAt":"2026-02-14T21:03:00.000Z")";

TEST_F(Sessions, CreateWithDefaults) {
  service.reply<api::CreateSession>(session());
  for (const char* body : {"", "{}", R"({"title":null,"agent":null,"unknown":[1]})"}) {
    const auto response = post("/sessions", body);
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(response.body, "{" + std::string(kFields) + "}");
    EXPECT_EQ(service.asked<api::CreateSession>().back().title, "") << "the usual title is the engine's";
    EXPECT_EQ(service.asked<api::CreateSession>().back().agent, "");
    EXPECT_EQ(service.asked<api::CreateSession>().back().contract, "sessions");
    EXPECT_FALSE(service.asked<api::CreateSession>().back().auto_approve);
  }
}

TEST_F(Sessions, CreateWithFields) {
  service.reply<api::CreateSession>(session());
  post("/sessions", R"({"title":"Trip to \"Rome\"","agent":"analyst"})");
  EXPECT_EQ(service.asked<api::CreateSession>().at(0).title, "Trip to \"Rome\"");
  EXPECT_EQ(service.asked<api::CreateSession>().at(0).agent, "analyst");
}

TEST_F(Sessions, CreateRefusesWrongBodies) {
  for (const std::string& body : {std::string("[]"), std::string("nope"), std::string(R"({"title":1})"),
                                  std::string(R"({"title":" "})"), std::string(R"({"agent":""})"),
                                  std::string(R"({"agent":{}})"), "{\"title\":\"" + std::string(201, 'x') + "\"}"}) {
    const auto response = post("/sessions", body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_NE(error_of(response), "400 without an error") << body;
  }
  EXPECT_EQ(service.asked_count(), 0u);
  service.reply<api::CreateSession>(fail(ErrorCode::kAgentNotFound, "There is no agent named x"));
  EXPECT_EQ(error_of(post("/sessions", R"({"agent":"x"})")), "404 There is no agent named x");
}

TEST_F(Sessions, List) {
  service.reply<api::ListSessions>(api::SessionList{{session(), session()}, 41});
  const auto response = get("/sessions");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            "{\"sessions\":[{" + std::string(kFields) + "},{" + std::string(kFields) + "}],\"total\":41}");
  EXPECT_EQ(service.asked<api::ListSessions>().at(0).limit, 20u);
  EXPECT_EQ(service.asked<api::ListSessions>().at(0).offset, 0u);
  EXPECT_FALSE(service.asked<api::ListSessions>().at(0).everybody);
  EXPECT_EQ(service.asked<api::ListSessions>().at(0).status, std::nullopt);
  get("/sessions?limit=100&offset=40&scope=all&status=planning");
  EXPECT_EQ(service.asked<api::ListSessions>().at(1).limit, 100u);
  EXPECT_EQ(service.asked<api::ListSessions>().at(1).offset, 40u);
  EXPECT_TRUE(service.asked<api::ListSessions>().at(1).everybody);
}

TEST_F(Sessions, ListByStatus) {
  auto done = session();
  done.status = api::SessionStatus::kCompleted;
  service.reply<api::ListSessions>(api::SessionList{{done}, 1});
  for (const auto& [word, status] : {std::pair{"planning", api::SessionStatus::kPlanning},
                                     {"executing", api::SessionStatus::kExecuting},
                                     {"completed", api::SessionStatus::kCompleted}}) {
    const auto response = get("/sessions?status=" + std::string(word));
    EXPECT_EQ(service.asked<api::ListSessions>().back().status, status);
    EXPECT_NE(response.body.find(R"("status":"completed")"), std::string::npos);
  }
}

TEST_F(Sessions, ListRefusesWrongParameters) {
  for (const char* query : {"limit=0", "limit=101", "limit=x", "offset=-1", "status=", "status=done", "status=Planning",
                            "scope=me", "status=completed&limit=0", "limit=%ff"}) {
    EXPECT_EQ(get("/sessions?" + std::string(query)).status, 400) << query;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(Sessions, GetInEverySpelling) {
  api::WholeSession found;
  found.session = session();
  found.messages = {message("user", "Hi"), message("assistant", "Hello \xe2\x80\xa8")};
  found.session.active_run = run_id;
  service.reply<api::GetWholeSession>(found);
  for (const std::string& id : {to_uuid(session_id), to_ulid(session_id), to_prefixed(session_id)}) {
    const auto response = get("/sessions/" + id);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body,
              "{" + std::string(kFields) +
                  R"(,"tasks":[],"messages":[{"id":"019c5e00-0000-3800-0400-000000000301","role":"user",)"
                  R"("content":"Hi","createdAt":"2026-02-14T21:03:00.000Z"},)"
                  R"({"id":"019c5e00-0000-3800-0400-000000000301","role":"assistant",)"
                  R"("content":"Hello \u2028","createdAt":"2026-02-14T21:03:00.000Z"}],)"
                  R"("artifacts":[],"dataItems":[],"activeRunId":"019c5e00-0000-3800-0400-000000000301"})");
    EXPECT_EQ(service.asked<api::GetWholeSession>().back().id, session_id);
  }
  found.session.active_run.reset();
  service.reply<api::GetWholeSession>(found);
  EXPECT_TRUE(get(path).body.ends_with(R"("activeRunId":null})"));
}

TEST_F(Sessions, GetShowsWhatItHolds) {
  api::WholeSession found;
  found.session = session();
  found.session.status = api::SessionStatus::kExecuting;
  found.tasks = {
      {.id = TaskId{run_id.value}, .session_id = session_id, .title = "Look", .status = TaskStatus::kFailed}};
  found.artifacts = {{.id = ArtifactId{run_id.value}, .session_id = session_id, .name = "A", .content = "not shown"}};
  found.data_items = {{.id = DataItemId{run_id.value}, .item_type = "contact", .data_json = R"({"a":1})"}};
  service.reply<api::GetWholeSession>(found);
  const auto body = get(path).body;
  EXPECT_NE(body.find(R"("status":"executing")"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("tasks":[{"id":"019c5e00-0000-3800-0400-000000000301",)"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("title":"Look","description":"","status":"failed","result":null)"), std::string::npos);
  EXPECT_NE(body.find(R"("artifacts":[{"id":"019c5e00-0000-3800-0400-000000000301",)"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("dataItems":[{"id":"019c5e00-0000-3800-0400-000000000301",)"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("itemType":"contact","data":{"a":1})"), std::string::npos) << body;
  EXPECT_EQ(body.find("content"), std::string::npos) << "the content of an artifact is asked for alone";
}

TEST_F(Sessions, Rename) {
  service.reply<api::RenameSession>(session());
  const auto response = patch(path, R"({"title":"New Session"})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "{" + std::string(kFields) + "}");
  EXPECT_EQ(service.asked<api::RenameSession>().at(0).id, session_id);
  EXPECT_EQ(service.asked<api::RenameSession>().at(0).title, "New Session");
}

TEST_F(Sessions, RenameRefusesWrongTitlesBeforeLookingForTheSession) {
  for (const char* body : {"", "{}", "[]", R"({"title":null})", R"({"title":""})", R"({"title":2})"}) {
    EXPECT_EQ(patch("/sessions/nope", body).status, 400) << body;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(Sessions, Delete) {
  service.reply<api::DeleteSession>(api::DeletedSession{});
  EXPECT_EQ(del(path).status, 204);
  EXPECT_EQ(service.asked<api::DeleteSession>().at(0).id, session_id);
}

TEST_F(Sessions, UnknownAndMalformedLookTheSame) {
  for (const std::string& id : {std::string("nope"), std::string(10'000, 'a'), std::string("..%2f..%2fetc")}) {
    EXPECT_EQ(error_of(get("/sessions/" + id)), "404 Session not found");
    EXPECT_EQ(error_of(patch("/sessions/" + id, R"({"title":"t"})")), "404 Session not found");
    EXPECT_EQ(error_of(del("/sessions/" + id)), "404 Session not found");
  }
  EXPECT_EQ(service.asked_count(), 0u);
  service.reply<api::GetWholeSession>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  service.reply<api::RenameSession>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  service.reply<api::DeleteSession>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  EXPECT_EQ(error_of(get(path)), "404 Session not found");
  EXPECT_EQ(error_of(patch(path, R"({"title":"t"})")), "404 Session not found");
  EXPECT_EQ(error_of(del(path)), "404 Session not found");
}

TEST_F(Sessions, EveryErrorHasTheSameShapeAndTheUsualStatus) {
  for (const auto code : testing::kEveryErrorCode) {
    const auto response = dialect.error({code, "\xff", "7"}, {});
    EXPECT_EQ(error_of(response).find("without"), std::string::npos) << name_of(code);
    const bool may_retry = response.status == 429 || response.status == 503;
    EXPECT_EQ(header(response, "Retry-After"), may_retry ? "7" : "(none)") << name_of(code);
  }
  EXPECT_EQ(dialect.error({ErrorCode::kBadField, "", ""}, {}).status, 400);
  EXPECT_EQ(dialect.error({ErrorCode::kMalformed, "", ""}, {}).status, 400);
  EXPECT_EQ(dialect.error({ErrorCode::kTooLarge, "", ""}, {}).status, 413);
  EXPECT_EQ(dialect.error({ErrorCode::kActiveRunExists, "", ""}, {}).status, 409);
  EXPECT_EQ(dialect.error({ErrorCode::kUnauthorized, "", ""}, {}).status, 401);
  EXPECT_EQ(header(dialect.error({ErrorCode::kMethodNotAllowed, "", "GET"}, {}), "Allow"), "GET");
}

TEST_F(Sessions, TheDialect) {
  EXPECT_EQ(dialect.name(), "sessions");
  EXPECT_EQ(dialect.make_projection(run_id), nullptr);
  for (const char* own : {"/sessions", "/sessions/", "/sessions/x/y"}) EXPECT_TRUE(dialect.owns_path(own)) << own;
  for (const char* other : {"/", "/session", "/sessionsx", "/api/v1/sessions"}) {
    EXPECT_FALSE(dialect.owns_path(other)) << other;
  }
  for (const Route& route : dialect.routes()) {
    EXPECT_EQ(route.access, Access::kUser) << route.pattern;
    EXPECT_FALSE(route.streams || route.starts_run) << route.pattern;
    EXPECT_TRUE(dialect.owns_path(route.pattern)) << route.pattern;
  }
}

}  // namespace
}  // namespace braidlog::sessions
