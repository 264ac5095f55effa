#include "dialect/chat/errors.h"

#include "dialect/testing/chat_fixture.h"

namespace braidlog::chat {
namespace {

const RequestId kRequest{RunId::parse("01KHF0000070008000000000Q1")->value};

class ChatErrors : public ChatFixture {};

TEST_F(ChatErrors, TheDocumentIsAsTheRfcAndTheContractWriteIt) {
  const auto response = error_response({ErrorCode::kAgentNotFound, "There is no agent nobody", ""}, kRequest);
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(header(response, "Content-Type"), "application/problem+json");
  EXPECT_EQ(response.body, R"({"type":"https://holodeck.dev/errors/not-found","title":"Not Found","status":404,)"
                           R"("detail":"There is no agent nobody","instance":"req_01KHF0000070008000000000Q1"})");
}

TEST_F(ChatErrors, WhereThereWasNoRequestNoneIsNamed) {
  EXPECT_EQ(error_response({ErrorCode::kUnavailable, "Busy", ""}, {}).body,
            R"({"type":"https://holodeck.dev/errors/unavailable","title":"Unavailable","status":503,"detail":"Busy"})");
}

TEST_F(ChatErrors, EveryCodeHasItsStatusAndType) {
  const std::pair<ErrorCode, const char*> rows[] = {
      {ErrorCode::kBadField, "400 invalid-request"},
      {ErrorCode::kMalformed, "400 invalid-request"},
      {ErrorCode::kTooLarge, "413 payload-too-large"},
      {ErrorCode::kHeadTooLarge, "431 payload-too-large"},
      {ErrorCode::kTooSlow, "408 invalid-request"},
      {ErrorCode::kUnsupportedMedia, "400 unsupported-media"},
      {ErrorCode::kInvalidPath, "400 invalid-request"},
      {ErrorCode::kUnauthorized, "401 unauthorized"},
      {ErrorCode::kForbidden, "403 forbidden"},
      {ErrorCode::kMethodNotAllowed, "405 method-not-allowed"},
      {ErrorCode::kUnknownRoute, "404 not-found"},
      {ErrorCode::kSessionNotFound, "404 not-found"},
      {ErrorCode::kRunNotFound, "404 not-found"},
      {ErrorCode::kApprovalNotFound, "404 not-found"},
      {ErrorCode::kFileNotFound, "404 not-found"},
      {ErrorCode::kAgentNotFound, "404 not-found"},
      {ErrorCode::kGone, "410 gone"},
      {ErrorCode::kActiveRunExists, "429 capacity-exceeded"},
      {ErrorCode::kIdempotencyConflict, "409 conflict"},
      {ErrorCode::kInvalidState, "409 conflict"},
      {ErrorCode::kAlreadyDecided, "409 conflict"},
      {ErrorCode::kRateLimited, "429 capacity-exceeded"},
      {ErrorCode::kUnavailable, "503 unavailable"},
      {ErrorCode::kStorage, "503 unavailable"},
      {ErrorCode::kFenced, "503 unavailable"},
      {ErrorCode::kCancelled, "503 unavailable"},
      {ErrorCode::kOutcomeUnknown, "503 unavailable"},
      {ErrorCode::kInternal, "500 internal-error"},
      {ErrorCode::kProvider, "500 internal-error"},
      {ErrorCode::kProviderTimeout, "500 internal-error"},
      {ErrorCode::kProviderRateLimited, "500 internal-error"},
      {ErrorCode::kUpstreamTruncated, "500 internal-error"},
      {ErrorCode::kToolsRefused, "500 internal-error"},
      {ErrorCode::kToolFailed, "500 internal-error"},
      {ErrorCode::kToolInvalidArguments, "500 internal-error"},
      {ErrorCode::kToolTimeout, "500 internal-error"},
      {ErrorCode::kLimitExceeded, "400 invalid-request"},
  };
  for (const auto code : testing::kEveryErrorCode) {
    const auto row = std::ranges::find(rows, code, [](const auto& r) { return r.first; });
    ASSERT_NE(row, std::end(rows)) << name_of(code);
    EXPECT_EQ(problem_of(error_response({code, "message", "subject"}, kRequest)), row->second) << name_of(code);
    EXPECT_EQ(problem_of(error_response({code, "", ""}, {})), row->second) << "without words: " << name_of(code);
  }
}

TEST_F(ChatErrors, NothingOfTheInsideIsTold) {
  for (const auto code : {ErrorCode::kStorage, ErrorCode::kInternal, ErrorCode::kFenced, ErrorCode::kProvider}) {
    const auto body = error_response({code, "SELECT secret FROM /var/lib", "/etc"}, kRequest).body;
    EXPECT_EQ(body.find("SELECT"), std::string::npos);
    EXPECT_EQ(body.find("/etc"), std::string::npos);
  }
}

TEST_F(ChatErrors, HeadersThatBelongToTheStatus) {
  EXPECT_EQ(header(error_response({ErrorCode::kMethodNotAllowed, "", "GET, POST"}, {}), "Allow"), "GET, POST");
  EXPECT_EQ(header(error_response({ErrorCode::kUnauthorized, "", ""}, {}), "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(header(error_response({ErrorCode::kRateLimited, "", "30"}, {}), "Retry-After"), "30");
  EXPECT_EQ(header(error_response({ErrorCode::kActiveRunExists, "", "run_x"}, {}), "Retry-After"), "1");
  EXPECT_EQ(header(error_response({ErrorCode::kUnavailable, "", ""}, {}), "Retry-After"), "1");
  EXPECT_EQ(header(error_response({ErrorCode::kBadField, "", ""}, {}), "Retry-After"), "(none)");
}

TEST_F(ChatErrors, ADetailIsValidAndNotEndless) {
  EXPECT_TRUE(parse_json(error_response({ErrorCode::kBadField, "\xff", "\xff"}, kRequest).body));
  EXPECT_LT(error_response({ErrorCode::kBadField, std::string(1 << 20, 'x'), ""}, kRequest).body.size(), 5000u);
}

TEST_F(ChatErrors, EveryFailureHasItsStatusAndType) {
  const std::pair<FailureCode, const char*> rows[] = {
      {FailureCode::kProvider, "500 agent-error"},        {FailureCode::kProviderTimeout, "500 agent-error"},
      {FailureCode::kRateLimited, "503 unavailable"},     {FailureCode::kUpstreamTruncated, "500 agent-error"},
      {FailureCode::kMaxSteps, "500 agent-error"},        {FailureCode::kLimitExceeded, "500 agent-error"},
      {FailureCode::kStorage, "503 unavailable"},         {FailureCode::kInternal, "500 internal-error"},
      {static_cast<FailureCode>(200), "500 agent-error"},
  };
  for (const auto& [code, expected] : rows) {
    const auto problem = problem_of_failure(code, "Why");
    EXPECT_EQ(std::to_string(problem.status) + " " + std::string(problem.type), expected);
    EXPECT_EQ(problem.detail, "Why");
    EXPECT_FALSE(problem_of_failure(code, "").detail.empty());
  }
}

TEST_F(ChatErrors, AnInterruptedRunSaysWhy) {
  for (const char* reason : {"user", "client_gone", "session_deleted", "restart", "rejected"}) {
    const auto problem = problem_of_interruption(reason);
    EXPECT_EQ(problem.status, 499);
    EXPECT_EQ(problem.type, "interrupted");
    EXPECT_EQ(problem.detail, "The run was interrupted: " + std::string(reason));
  }
  EXPECT_EQ(problem_of_interruption("").detail, "The run was interrupted");
  EXPECT_EQ(problem_of_interruption("server_stopping").status, 503);
  EXPECT_EQ(problem_of_interruption("server_stopping").type, "unavailable");
}

TEST_F(ChatErrors, TheDialectGivesTheSame) {
  const Error error{ErrorCode::kUnknownRoute, "", ""};
  EXPECT_EQ(dialect.error(error, kRequest).body, error_response(error, kRequest).body);
}

TEST_F(ChatErrors, OwnsThePathsOfAgentsAlone) {
  for (const char* path :
       {"/agent/support", "/agent/support/", "/agent/support/nope", "/agent/support/chat/stream/x", "/agent/streams",
        "/agent/stream/chat", "/agent/history/x", "/agent/conversation", "/agent/conversationsx/y"}) {
    EXPECT_TRUE(dialect.owns_path(path)) << path;
  }
  for (const char* path : {"/agent", "/agent/", "/agent//x", "/agent/stream", "/agent/history", "/agent/conversations",
                           "/agent/conversations/", "/agent/conversations/x", "/agents", "/agentx/y", "/", "",
                           "/health/agent/support", "/api/v1/agent/x"}) {
    EXPECT_FALSE(dialect.owns_path(path)) << path;
  }
}

}  // namespace
}  // namespace braidlog::chat
