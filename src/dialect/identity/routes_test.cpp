#include "dialect/identity/routes.h"

#include <gtest/gtest.h>

#include "dialect/testing/route_fixture.h"

namespace braidlog {
namespace {

class IdentityRoutesTest : public testing::RouteFixture<IdentityDialect> {
 protected:
  HttpResponse call_as(const ClientInfo& client, Method method, std::string target, std::string body = {}) {
    HttpRequest request;
    request.method = method;
    request.target = std::move(target);
    split_target(request);
    request.body = std::move(body);
    auto answer = testing::call_route(dialect, request, service, limits, {"user_1", false}, client);
    EXPECT_TRUE(answer);
    return response(std::move(*answer));
  }
  static constexpr char kLogin[] = R"({"username":"Ada","password":"secret"})";
  api::LoggedIn logged_in_{.me = {"user_1", "Ada", true}, .token = "TOKEN", .lifetime = std::chrono::hours(1)};
};

TEST_F(IdentityRoutesTest, LoginGivesTheCookie) {
  service.reply<api::LogIn>(logged_in_);
  const auto reply = call_as({"192.0.2.7", false}, Method::kPost, "/auth/login", kLogin);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, R"({"user_id":"user_1","username":"Ada"})");
  EXPECT_EQ(header(reply, "Set-Cookie"), "session=TOKEN; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600");
  EXPECT_EQ(header(reply, "Cache-Control"), "no-store");
  ASSERT_EQ(service.asked<api::LogIn>().size(), 1u);
  EXPECT_EQ(service.asked<api::LogIn>()[0].username, "Ada");
  EXPECT_EQ(service.asked<api::LogIn>()[0].password, "secret");
  EXPECT_EQ(service.asked<api::LogIn>()[0].address, "192.0.2.7");
}

TEST_F(IdentityRoutesTest, OverTlsTheCookieIsTheHostsAlone) {
  service.reply<api::LogIn>(logged_in_);
  const auto in = call_as({"192.0.2.7", true}, Method::kPost, "/auth/login", kLogin);
  EXPECT_EQ(header(in, "Set-Cookie"), "__Host-session=TOKEN; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600; Secure");
  service.reply<api::LogOut>(api::LoggedOut{});
  const auto out = call_as({"192.0.2.7", true}, Method::kPost, "/auth/logout");
  EXPECT_EQ(header(out, "Set-Cookie"), "__Host-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure");
}

TEST_F(IdentityRoutesTest, WrongBodiesAre422AndAskNobody) {
  for (const std::string body :
       {"", "null", "{", "[]", "\"x\"", "{}", R"({"username":"a"})", R"({"password":"a"})",
        R"({"username":"","password":"a"})", R"({"username":"a","password":""})", R"({"username":1,"password":"a"})",
        R"({"username":"a","password":["a"]})", R"({"username":null,"password":"a"})", "\xff",
        R"({"username":"a\u0000","password":"a"})", R"({"username":"a","password":"\u0000"})"}) {
    const auto reply = post("/auth/login", body);
    EXPECT_EQ(reply.status, 422) << body;
    EXPECT_TRUE(reply.body.starts_with(R"({"detail":")")) << reply.body;
  }
  EXPECT_EQ(post("/auth/login", R"({"username":")" + std::string(257, 'a') + R"(","password":"a"})").status, 422);
  EXPECT_EQ(post("/auth/login", R"({"username":"a","password":")" + std::string(1025, 'a') + R"("})").status, 422);
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(IdentityRoutesTest, AWrongPasswordSetsNoCookie) {
  service.reply<api::LogIn>(fail(ErrorCode::kUnauthorized, "Wrong user name or password"));
  const auto reply = post("/auth/login", kLogin);
  EXPECT_EQ(reply.status, 401);
  EXPECT_EQ(reply.body, R"({"detail":"Wrong user name or password"})");
  EXPECT_EQ(header(reply, "Set-Cookie"), "(none)");
}

TEST_F(IdentityRoutesTest, TooManyWrongPasswordsSayWhenToComeBack) {
  service.reply<api::LogIn>(fail(ErrorCode::kRateLimited, "Too many wrong passwords; try again later", "42"));
  const auto reply = post("/auth/login", kLogin);
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(header(reply, "Retry-After"), "42");
}

TEST_F(IdentityRoutesTest, LogoutTakesTheCookieAway) {
  service.reply<api::LogOut>(api::LoggedOut{});
  const auto reply = post("/auth/logout");
  EXPECT_EQ(reply.status, 204);
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(header(reply, "Set-Cookie"), "session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
  service.reply<api::LogOut>(fail(ErrorCode::kStorage, "the disk is full"));
  const auto failed = post("/auth/logout");
  EXPECT_EQ(failed.status, 503);
  EXPECT_EQ(header(failed, "Set-Cookie"), "(none)");
  EXPECT_EQ(failed.body.find("disk"), std::string::npos);
}

TEST_F(IdentityRoutesTest, MeSaysTheRole) {
  service.reply<api::GetMe>(api::Me{"user_1", "Ada", false});
  EXPECT_EQ(get("/auth/me").body, R"({"user_id":"user_1","username":"Ada","role":"user"})");
  service.reply<api::GetMe>(api::Me{"user_2", "root", true});
  EXPECT_EQ(get("/auth/me").body, R"({"user_id":"user_2","username":"root","role":"admin"})");
}

TEST_F(IdentityRoutesTest, AlertsHaveUuids) {
  service.reply<api::ListAlerts>(api::AlertList{{.ticket = 7,
                                                 .at = {1'771'102'980'000},
                                                 .user_id = "user_1",
                                                 .session_id = session_id,
                                                 .run_id = run_id,
                                                 .call_id = {},
                                                 .message = "disk \"full\"",
                                                 .priority = "high"}});
  const auto reply = get("/alerts?limit=5");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body,
            R"({"alerts":[{"ticket":7,"created_at":"2026-02-14T21:03:00.000Z","user_id":"user_1","session_id":")" +
                to_uuid(session_id) + R"(","run_id":")" + to_uuid(run_id) +
                R"(","message":"disk \"full\"","priority":"high"}]})");
  EXPECT_EQ(service.asked<api::ListAlerts>().at(0).limit, 5u);
  get("/alerts");
  EXPECT_EQ(service.asked<api::ListAlerts>().at(1).limit, 100u);
  for (const char* bad : {"/alerts?limit=0", "/alerts?limit=1001", "/alerts?limit=x", "/alerts?limit=-1"}) {
    EXPECT_EQ(get(bad).status, 422) << bad;
  }
}

TEST_F(IdentityRoutesTest, OwnsItsPathsAndNoOthers) {
  for (const char* ours : {"/auth", "/auth/", "/auth/nothing", "/alerts"}) EXPECT_TRUE(dialect.owns_path(ours)) << ours;
  for (const char* other : {"/", "/authx", "/alerts/1", "/api/v1/auth"})
    EXPECT_FALSE(dialect.owns_path(other)) << other;
}

TEST_F(IdentityRoutesTest, EveryErrorHasABody) {
  for (const ErrorCode code : testing::kEveryErrorCode) {
    const auto reply = dialect.error({code, "", {}}, {});
    EXPECT_GE(reply.status, 400);
    EXPECT_TRUE(parse_json(reply.body)->as_object().contains("detail")) << reply.body;
  }
}

TEST_F(IdentityRoutesTest, WhoMayAsk) {
  for (const Route& route : dialect.routes()) {
    const auto expected = route.pattern == "/auth/login" ? Access::kOpen
                          : route.pattern == "/alerts"   ? Access::kAdmin
                                                         : Access::kUser;
    EXPECT_EQ(route.access, expected) << route.pattern;
    EXPECT_FALSE(route.streams || route.starts_run) << route.pattern;
  }
}

}  // namespace
}  // namespace braidlog
