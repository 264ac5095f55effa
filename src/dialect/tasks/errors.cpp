#include "dialect/tasks/errors.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "dialect/error_words.h"

namespace braidlog::tasks {

namespace {

std::string_view code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadField:
    case ErrorCode::kMalformed:
    case ErrorCode::kTooSlow:
    case ErrorCode::kUnsupportedMedia:
    case ErrorCode::kBadFile:
    case ErrorCode::kInvalidPath:
    case ErrorCode::kLimitExceeded: return "VALIDATION_ERROR";
    case ErrorCode::kTooLarge:
    case ErrorCode::kHeadTooLarge: return "PAYLOAD_TOO_LARGE";
    case ErrorCode::kUnauthorized: return "UNAUTHORIZED";
    case ErrorCode::kForbidden: return "FORBIDDEN";
    case ErrorCode::kMethodNotAllowed: return "METHOD_NOT_ALLOWED";
    case ErrorCode::kUnknownRoute:
    case ErrorCode::kSessionNotFound:
    case ErrorCode::kRunNotFound:
    case ErrorCode::kApprovalNotFound:
    case ErrorCode::kFileNotFound:
    case ErrorCode::kAgentNotFound:
    case ErrorCode::kTaskNotFound:
    case ErrorCode::kArtifactNotFound:
    case ErrorCode::kDataItemNotFound: return "NOT_FOUND";
    case ErrorCode::kGone: return "GONE";
    case ErrorCode::kActiveRunExists:
    case ErrorCode::kIdempotencyConflict:
    case ErrorCode::kInvalidState:
    case ErrorCode::kAlreadyDecided:
    case ErrorCode::kNoPendingTask: return "CONFLICT";
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

int status_of(ErrorCode code) {
  const int status = usual_status(code);
  return status == 400 ? 422 : status;
}

}  // namespace

HttpResponse error_response(const Error& error) {
  const std::string text = client_message(error);
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("error").string(text);
  w.key("code").string(code_of(error.code));
  w.key("message").string(text);
  w.key("detail").string(text);
  w.end_object();
  auto response = HttpResponse::json(status_of(error.code), std::move(body));
  add_error_headers(response, error);
  return response;
}

}  // namespace braidlog::tasks
