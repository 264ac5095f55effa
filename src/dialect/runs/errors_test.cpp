#include "dialect/runs/errors.h"

#include "dialect/testing/runs_fixture.h"

namespace braidlog::runs {
namespace {

class RunsErrors : public RunsFixture {
 protected:
  static std::string told(ErrorCode code) { return error_of(error_response({code, "message", "subject"})); }
};

TEST_F(RunsErrors, EveryCodeHasItsStatus) {
  const std::pair<ErrorCode, const char*> rows[] = {
      {ErrorCode::kBadField, "400 BAD_REQUEST"},
      {ErrorCode::kMalformed, "400 BAD_REQUEST"},
      {ErrorCode::kUnsupportedMedia, "400 BAD_REQUEST"},
      {ErrorCode::kTooLarge, "413 PAYLOAD_TOO_LARGE"},
      {ErrorCode::kHeadTooLarge, "431 PAYLOAD_TOO_LARGE"},
      {ErrorCode::kTooSlow, "408 BAD_REQUEST"},
      {ErrorCode::kInvalidPath, "422 INVALID_PATH"},
      {ErrorCode::kUnauthorized, "401 UNAUTHORIZED"},
      {ErrorCode::kForbidden, "403 FORBIDDEN"},
      {ErrorCode::kMethodNotAllowed, "405 METHOD_NOT_ALLOWED"},
      {ErrorCode::kUnknownRoute, "404 NOT_FOUND"},
      {ErrorCode::kSessionNotFound, "404 SESSION_NOT_FOUND"},
      {ErrorCode::kRunNotFound, "404 RUN_NOT_FOUND"},
      {ErrorCode::kApprovalNotFound, "404 APPROVAL_NOT_FOUND"},
      {ErrorCode::kFileNotFound, "404 FILE_NOT_FOUND"},
      {ErrorCode::kAgentNotFound, "404 AGENT_NOT_FOUND"},
      {ErrorCode::kGone, "410 REPLAY_UNAVAILABLE"},
      {ErrorCode::kActiveRunExists, "409 ACTIVE_RUN_EXISTS"},
      {ErrorCode::kIdempotencyConflict, "409 IDEMPOTENCY_CONFLICT"},
      {ErrorCode::kInvalidState, "409 INVALID_STATE"},
      {ErrorCode::kAlreadyDecided, "409 APPROVAL_ALREADY_PROCESSED"},
      {ErrorCode::kRateLimited, "429 RATE_LIMITED"},
      {ErrorCode::kUnavailable, "503 UNAVAILABLE"},
      {ErrorCode::kStorage, "503 UNAVAILABLE"},
      {ErrorCode::kFenced, "503 UNAVAILABLE"},
      {ErrorCode::kCancelled, "503 UNAVAILABLE"},
      {ErrorCode::kOutcomeUnknown, "503 UNAVAILABLE"},
      {ErrorCode::kInternal, "500 INTERNAL_ERROR"},
      {ErrorCode::kProvider, "500 INTERNAL_ERROR"},
      {ErrorCode::kProviderTimeout, "500 INTERNAL_ERROR"},
      {ErrorCode::kProviderRateLimited, "500 INTERNAL_ERROR"},
      {ErrorCode::kUpstreamTruncated, "500 INTERNAL_ERROR"},
      {ErrorCode::kToolsRefused, "500 INTERNAL_ERROR"},
      {ErrorCode::kToolFailed, "500 INTERNAL_ERROR"},
      {ErrorCode::kToolInvalidArguments, "500 INTERNAL_ERROR"},
      {ErrorCode::kToolTimeout, "500 INTERNAL_ERROR"},
      {ErrorCode::kLimitExceeded, "400 BAD_REQUEST"},
  };
  EXPECT_EQ(std::size(rows), std::size(testing::kEveryErrorCode));
  for (const auto& [code, expected] : rows) EXPECT_EQ(told(code), expected) << name_of(code);
}

TEST_F(RunsErrors, NothingOfTheInsideIsTold) {
  for (const auto code : {ErrorCode::kStorage, ErrorCode::kInternal, ErrorCode::kFenced, ErrorCode::kProvider}) {
    const auto body = error_response({code, "SELECT secret FROM /var/lib", "/etc"}).body;
    EXPECT_EQ(body.find("SELECT"), std::string::npos);
    EXPECT_EQ(body.find("/etc"), std::string::npos);
  }
}

TEST_F(RunsErrors, HeadersThatBelongToTheStatus) {
  EXPECT_EQ(header(error_response({ErrorCode::kMethodNotAllowed, "", "GET, POST"}), "Allow"), "GET, POST");
  EXPECT_EQ(header(error_response({ErrorCode::kUnauthorized, "", ""}), "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(header(error_response({ErrorCode::kRateLimited, "", ""}), "Retry-After"), "1");
  EXPECT_EQ(header(error_response({ErrorCode::kRateLimited, "", "30"}), "Retry-After"), "30");
  EXPECT_EQ(header(error_response({ErrorCode::kUnavailable, "", "x\r\n"}), "Retry-After"), "1");
  EXPECT_EQ(header(error_response({ErrorCode::kStorage, "", ""}), "Retry-After"), "1");
  EXPECT_EQ(header(error_response({ErrorCode::kBadField, "", ""}), "Retry-After"), "(none)");
}

TEST_F(RunsErrors, AMessageIsAlwaysThereAndAlwaysValid) {
  EXPECT_EQ(error_response({ErrorCode::kRunNotFound, "", ""}).body,
            R"({"error":{"code":"RUN_NOT_FOUND","message":"Run not found","details":{}}})");
  EXPECT_TRUE(parse_json(error_response({ErrorCode::kBadField, "\xff", "\xff"}).body));
}

TEST_F(RunsErrors, TheDialectGivesTheSame) {
  const Error error{ErrorCode::kUnknownRoute, "", ""};
  EXPECT_EQ(dialect.error(error, {}).body, error_response(error).body);
}

TEST_F(RunsErrors, OwnsItsPrefixAlone) {
  for (const char* path : {"/api/v1", "/api/v1/", "/api/v1/nope/x"}) EXPECT_TRUE(dialect.owns_path(path)) << path;
  for (const char* path : {"/", "", "/api", "/api/v10", "/runs/x", "/sessions"}) {
    EXPECT_FALSE(dialect.owns_path(path)) << path;
  }
}

TEST_F(RunsErrors, TheTableOfRoutes) {
  EXPECT_EQ(dialect.name(), "runs");
  for (const Route& route : dialect.routes()) {
    EXPECT_EQ(route.access, Access::kUser) << route.pattern;
    EXPECT_EQ(route.streams, route.pattern.ends_with("/stream")) << route.pattern;
    EXPECT_NE(route.handle, nullptr) << route.pattern;
    if (route.method == Method::kGet) EXPECT_EQ(route.body, BodyRule::kNone) << route.pattern;
  }
}

}  // namespace
}  // namespace braidlog::runs
