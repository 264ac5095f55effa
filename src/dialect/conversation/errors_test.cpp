#include "dialect/conversation/errors.h"

#include <map>

#include "dialect/testing/conversation_fixture.h"

namespace braidlog::conversation {
namespace {

class ConversationErrors : public ConversationFixture {};

TEST_F(ConversationErrors, EveryCodeHasItsStatus) {
  const std::map<ErrorCode, int> rows{{ErrorCode::kBadField, 422},          {ErrorCode::kMalformed, 422},
                                      {ErrorCode::kUnsupportedMedia, 422},  {ErrorCode::kLimitExceeded, 422},
                                      {ErrorCode::kInvalidPath, 422},       {ErrorCode::kTooLarge, 413},
                                      {ErrorCode::kHeadTooLarge, 431},      {ErrorCode::kTooSlow, 408},
                                      {ErrorCode::kUnauthorized, 401},      {ErrorCode::kForbidden, 403},
                                      {ErrorCode::kMethodNotAllowed, 405},  {ErrorCode::kUnknownRoute, 404},
                                      {ErrorCode::kSessionNotFound, 404},   {ErrorCode::kRunNotFound, 404},
                                      {ErrorCode::kApprovalNotFound, 404},  {ErrorCode::kFileNotFound, 404},
                                      {ErrorCode::kAgentNotFound, 404},     {ErrorCode::kGone, 410},
                                      {ErrorCode::kActiveRunExists, 409},   {ErrorCode::kIdempotencyConflict, 409},
                                      {ErrorCode::kInvalidState, 409},      {ErrorCode::kAlreadyDecided, 409},
                                      {ErrorCode::kRateLimited, 429},       {ErrorCode::kUnavailable, 503},
                                      {ErrorCode::kStorage, 503},           {ErrorCode::kFenced, 503},
                                      {ErrorCode::kCancelled, 503},         {ErrorCode::kOutcomeUnknown, 503},
                                      {ErrorCode::kInternal, 500},          {ErrorCode::kProvider, 500},
                                      {ErrorCode::kProviderTimeout, 500},   {ErrorCode::kProviderRateLimited, 500},
                                      {ErrorCode::kUpstreamTruncated, 500}, {ErrorCode::kToolsRefused, 500},
                                      {ErrorCode::kToolFailed, 500},        {ErrorCode::kToolInvalidArguments, 500},
                                      {ErrorCode::kToolTimeout, 500}};
  for (const auto code : testing::kEveryErrorCode) {
    ASSERT_TRUE(rows.contains(code)) << name_of(code);
    const auto response = error_response({code, "\xff", ""});
    EXPECT_EQ(response.status, rows.at(code)) << name_of(code);
    EXPECT_NE(error_of(response), std::to_string(response.status) + " without a detail") << name_of(code);
    EXPECT_EQ(dialect.error({code, "\xff", ""}, {}).body, response.body);
  }
}

TEST_F(ConversationErrors, TheContractsOwnWords) {
  EXPECT_EQ(error_response({ErrorCode::kUnauthorized, "Unknown API key", ""}).body,
            R"({"detail":"Authentication required"})");
  EXPECT_EQ(error_response({ErrorCode::kSessionNotFound, "Session not found", ""}).body,
            R"({"detail":"Conversation not found"})");
  EXPECT_EQ(error_response({ErrorCode::kBadField, "`message` is required", "message"}).body,
            R"({"detail":"`message` is required"})");
}

TEST_F(ConversationErrors, HeadersThatBelongToTheStatus) {
  EXPECT_EQ(header(error_response({ErrorCode::kMethodNotAllowed, "", "POST"}), "Allow"), "POST");
  EXPECT_EQ(header(error_response({ErrorCode::kUnavailable, "", "3"}), "Retry-After"), "3");
  EXPECT_EQ(header(error_response({ErrorCode::kUnauthorized, "", ""}), "WWW-Authenticate"), "Bearer");
}

TEST_F(ConversationErrors, OwnsItsPathsAlone) {
  for (const char* path : {"/agent", "/agent/stream", "/agent/history", "/agent/conversations", "/agent/conversations/",
                           "/agent/conversations/x/y"}) {
    EXPECT_TRUE(dialect.owns_path(path)) << path;
  }
  for (const char* path : {"/", "/agents", "/agent/", "/agent/support/chat", "/agent/streams", "/agent/history/x"}) {
    EXPECT_FALSE(dialect.owns_path(path)) << path;
  }
}

TEST_F(ConversationErrors, TheTableOfRoutes) {
  EXPECT_EQ(dialect.name(), "conversation");
  EXPECT_EQ(dialect.part_mark(), 'c');
  for (const Route& route : dialect.routes()) {
    EXPECT_EQ(route.access, Access::kCredential) << route.pattern << ": always";
    EXPECT_EQ(route.streams, route.pattern == "/agent/stream") << route.pattern;
    EXPECT_EQ(route.starts_run, route.method == Method::kPost) << route.pattern;
    EXPECT_TRUE(dialect.owns_path(route.pattern)) << route.pattern;
  }
}

}  // namespace
}  // namespace braidlog::conversation
