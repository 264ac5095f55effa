#include "dialect/steps/errors.h"

#include "dialect/error_words.h"
#include "dialect/sessions/errors.h"
#include "dialect/testing/steps_fixture.h"

namespace braidlog::steps {
namespace {

class StepsErrors : public StepsFixture {};

TEST_F(StepsErrors, EveryCodeIsOneText) {
  for (const auto code : testing::kEveryErrorCode) {
    const auto response = error_response({code, "\xff", ""});
    EXPECT_EQ(response.status, usual_status(code)) << name_of(code);
    EXPECT_NE(error_of(response), std::to_string(response.status) + " without an error") << name_of(code);
    EXPECT_EQ(dialect.error({code, "\xff", ""}, {}).body, response.body);
  }
}

TEST_F(StepsErrors, TheContractsOwnWords) {
  EXPECT_EQ(error_response({ErrorCode::kSessionNotFound, "gone", ""}).body, R"({"error":"Session not found"})");
  EXPECT_EQ(error_response({ErrorCode::kActiveRunExists, "busy", ""}).body,
            R"({"error":"Session already has an active run"})");
  EXPECT_EQ(error_response(no_active_run()).body, R"({"error":"No active run found for this session"})");
  EXPECT_EQ(error_response({ErrorCode::kBadField, "`query` is odd", "query"}).body,
            sessions::error_response({ErrorCode::kBadField, "`query` is odd", "query"}).body);
}

TEST_F(StepsErrors, HeadersThatBelongToTheStatus) {
  EXPECT_EQ(header(error_response({ErrorCode::kMethodNotAllowed, "", "GET, POST"}), "Allow"), "GET, POST");
  EXPECT_EQ(header(error_response({ErrorCode::kUnavailable, "", "3"}), "Retry-After"), "3");
}

TEST_F(StepsErrors, OwnsItsPathsAlone) {
  for (const char* own : {"/sessions/x/stream", "/sessions/x/interrupt", "/sessions/x/tokens", "/sessions/x/steps"}) {
    EXPECT_TRUE(dialect.owns_path(own)) << own;
  }
  for (const char* other :
       {"/", "/sessions", "/sessions/", "/sessions/x", "/sessions/x/", "/sessions//stream", "/sessions/x/tasks",
        "/sessions/x/stream/y", "/sessions/stream", "/api/v1/sessions/x/stream"}) {
    EXPECT_FALSE(dialect.owns_path(other)) << other;
  }
}

TEST_F(StepsErrors, TheTableOfRoutes) {
  EXPECT_EQ(dialect.name(), "steps");
  EXPECT_EQ(dialect.part_mark(), 's');
  for (const Route& route : dialect.routes()) {
    const bool is_stream = route.pattern.ends_with("/stream");
    EXPECT_EQ(route.access, Access::kUser) << route.pattern;
    EXPECT_EQ(route.streams, is_stream) << route.pattern;
    EXPECT_EQ(route.starts_run, is_stream) << route.pattern << ": a GET is guarded like a POST";
    EXPECT_TRUE(dialect.owns_path(route.pattern)) << route.pattern;
  }
}

}  // namespace
}  // namespace braidlog::steps
