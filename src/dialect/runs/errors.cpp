#include "dialect/runs/errors.h"

#include <string>

#include "base/json.h"
#include "base/utf8.h"
#include "dialect/error_words.h"

namespace braidlog::runs {

namespace {

std::string_view code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadField:
    case ErrorCode::kMalformed:
    case ErrorCode::kTooSlow:
    case ErrorCode::kUnsupportedMedia:
    case ErrorCode::kBadFile:
    case ErrorCode::kLimitExceeded: return "BAD_REQUEST";
    case ErrorCode::kTooLarge:
    case ErrorCode::kHeadTooLarge: return "PAYLOAD_TOO_LARGE";
    case ErrorCode::kInvalidPath: return "INVALID_PATH";
    case ErrorCode::kUnauthorized: return "UNAUTHORIZED";
    case ErrorCode::kForbidden: return "FORBIDDEN";
    case ErrorCode::kMethodNotAllowed: return "METHOD_NOT_ALLOWED";
    case ErrorCode::kTaskNotFound:
    case ErrorCode::kArtifactNotFound:
    case ErrorCode::kDataItemNotFound:
    case ErrorCode::kUnknownRoute: return "NOT_FOUND";
    case ErrorCode::kSessionNotFound: return "SESSION_NOT_FOUND";
    case ErrorCode::kRunNotFound: return "RUN_NOT_FOUND";
    case ErrorCode::kApprovalNotFound: return "APPROVAL_NOT_FOUND";
    case ErrorCode::kFileNotFound: return "FILE_NOT_FOUND";
    case ErrorCode::kAgentNotFound: return "AGENT_NOT_FOUND";
    case ErrorCode::kGone: return "REPLAY_UNAVAILABLE";
    case ErrorCode::kActiveRunExists: return "ACTIVE_RUN_EXISTS";
    case ErrorCode::kIdempotencyConflict: return "IDEMPOTENCY_CONFLICT";
    case ErrorCode::kNoPendingTask:
    case ErrorCode::kInvalidState: return "INVALID_STATE";
    case ErrorCode::kAlreadyDecided: return "APPROVAL_ALREADY_PROCESSED";
    case ErrorCode::kRateLimited: return "RATE_LIMITED";
    case ErrorCode::kUnavailable:
    case ErrorCode::kStorage:
    case ErrorCode::kFenced:
    case ErrorCode::kOutcomeUnknown:
    case ErrorCode::kCancelled: return "UNAVAILABLE";
    case ErrorCode::kInternal:
    case ErrorCode::kProvider:
    case ErrorCode::kProviderTimeout:
    case ErrorCode::kProviderRateLimited:
    case ErrorCode::kUpstreamTruncated:
    case ErrorCode::kToolsRefused:
    case ErrorCode::kToolFailed:
    case ErrorCode::kToolInvalidArguments:
    case ErrorCode::kToolTimeout: return "INTERNAL_ERROR";
  }
  return "INTERNAL_ERROR";
}

void write_details(JsonWriter& w, const Error& error) {
  w.begin_object();
  if (!error.subject.empty()) {
    if (error.code == ErrorCode::kActiveRunExists) w.key("run_id").string(to_valid_utf8(error.subject));
    if (error.code == ErrorCode::kBadField) w.key("field").string(to_valid_utf8(error.subject));
  }
  w.end_object();
}

}  // namespace

HttpResponse error_response(const Error& error) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("error").begin_object();
  w.key("code").string(code_of(error.code));
  w.key("message").string(client_message(error));
  w.key("details");
  write_details(w, error);
  w.end_object().end_object();
  auto response = HttpResponse::json(usual_status(error.code), std::move(body));
  add_error_headers(response, error);
  return response;
}

std::string_view failure_code(FailureCode code) {
  switch (code) {
    case FailureCode::kProvider: return "PROVIDER_ERROR";
    case FailureCode::kProviderTimeout: return "PROVIDER_TIMEOUT";
    case FailureCode::kRateLimited: return "RATE_LIMITED";
    case FailureCode::kUpstreamTruncated: return "UPSTREAM_TRUNCATED";
    case FailureCode::kMaxSteps: return "MAX_STEPS";
    // The contract has no word of its own for a file that was broken or too much.
    case FailureCode::kBadFile:
    case FailureCode::kLimitExceeded: return "LIMIT_EXCEEDED";
    case FailureCode::kStorage: return "STORAGE_ERROR";
    case FailureCode::kInternal: return "INTERNAL_ERROR";
  }
  return "INTERNAL_ERROR";  // a code written by a newer version
}

}  // namespace braidlog::runs
