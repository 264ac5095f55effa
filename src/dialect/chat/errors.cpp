#include "dialect/chat/errors.h"

#include "base/json.h"
#include "dialect/error_words.h"
#include "dialect/wire_text.h"

namespace braidlog::chat {

namespace {

struct Kind {
  std::string_view type;
  std::string_view title;
};

constexpr Kind kInvalidRequest{"invalid-request", "Invalid Request"};
constexpr Kind kUnauthorized{"unauthorized", "Unauthorized"};
constexpr Kind kForbidden{"forbidden", "Forbidden"};
constexpr Kind kNotFound{"not-found", "Not Found"};
constexpr Kind kMethodNotAllowed{"method-not-allowed", "Method Not Allowed"};
constexpr Kind kConflict{"conflict", "Conflict"};
constexpr Kind kGone{"gone", "Gone"};
constexpr Kind kAgentError{"agent-error", "Agent Error"};
constexpr Kind kPayloadTooLarge{"payload-too-large", "Payload Too Large"};
constexpr Kind kUnsupportedMedia{"unsupported-media", "Unsupported Media"};
constexpr Kind kCapacityExceeded{"capacity-exceeded", "Capacity Exceeded"};
constexpr Kind kInterrupted{"interrupted", "Interrupted"};
constexpr Kind kUnavailable{"unavailable", "Unavailable"};
constexpr Kind kInternalError{"internal-error", "Internal Error"};

Kind kind_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadField:
    case ErrorCode::kMalformed:
    case ErrorCode::kTooSlow:
    case ErrorCode::kInvalidPath:
    case ErrorCode::kBadFile:
    case ErrorCode::kLimitExceeded: return kInvalidRequest;
    case ErrorCode::kTooLarge:
    case ErrorCode::kHeadTooLarge: return kPayloadTooLarge;
    case ErrorCode::kUnsupportedMedia: return kUnsupportedMedia;
    case ErrorCode::kUnauthorized: return kUnauthorized;
    case ErrorCode::kForbidden: return kForbidden;
    case ErrorCode::kMethodNotAllowed: return kMethodNotAllowed;
    case ErrorCode::kUnknownRoute:
    case ErrorCode::kSessionNotFound:
    case ErrorCode::kRunNotFound:
    case ErrorCode::kApprovalNotFound:
    case ErrorCode::kFileNotFound:
    case ErrorCode::kTaskNotFound:
    case ErrorCode::kArtifactNotFound:
    case ErrorCode::kDataItemNotFound:
    case ErrorCode::kAgentNotFound: return kNotFound;
    case ErrorCode::kGone: return kGone;
    case ErrorCode::kIdempotencyConflict:
    case ErrorCode::kInvalidState:
    case ErrorCode::kNoPendingTask:
    case ErrorCode::kAlreadyDecided: return kConflict;
    case ErrorCode::kActiveRunExists:
    case ErrorCode::kRateLimited: return kCapacityExceeded;
    case ErrorCode::kUnavailable:
    case ErrorCode::kStorage:
    case ErrorCode::kFenced:
    case ErrorCode::kOutcomeUnknown:
    case ErrorCode::kCancelled: return kUnavailable;
    case ErrorCode::kInternal:
    case ErrorCode::kProvider:
    case ErrorCode::kProviderTimeout:
    case ErrorCode::kProviderRateLimited:
    case ErrorCode::kUpstreamTruncated:
    case ErrorCode::kToolsRefused:
    case ErrorCode::kToolFailed:
    case ErrorCode::kToolInvalidArguments:
    case ErrorCode::kToolTimeout: return kInternalError;
  }
  return kInternalError;
}

// In this contract a busy session is a lack of room and no conflict, and a bad path is a bad field.
int status_of(ErrorCode code) {
  if (code == ErrorCode::kActiveRunExists) return 429;
  if (code == ErrorCode::kInvalidPath) return 400;
  return usual_status(code);
}

Problem problem(int status, Kind kind, std::string detail) {
  return {.status = status, .type = kind.type, .title = kind.title, .detail = std::move(detail)};
}

}  // namespace

Problem problem_of(const Error& error) {
  return problem(status_of(error.code), kind_of(error.code), client_message(error));
}

Problem problem_of_failure(FailureCode code, std::string_view message) {
  std::string detail(message.empty() ? "The agent could not answer" : message);
  switch (code) {
    case FailureCode::kProvider:
    case FailureCode::kProviderTimeout:
    case FailureCode::kUpstreamTruncated:
    case FailureCode::kMaxSteps:
    case FailureCode::kLimitExceeded: return problem(500, kAgentError, std::move(detail));
    // Not this client asks too much of us: we do of the model's provider. Either way it is worth trying later.
    case FailureCode::kRateLimited:
    case FailureCode::kStorage: return problem(503, kUnavailable, std::move(detail));
    case FailureCode::kBadFile: return problem(400, kInvalidRequest, std::move(detail));
    case FailureCode::kInternal: return problem(500, kInternalError, std::move(detail));
  }
  return problem(500, kAgentError, std::move(detail));  // a code written by a newer version
}

Problem problem_of_interruption(std::string_view reason) {
  if (reason == "server_stopping") return problem(503, kUnavailable, "The server is stopping; try again later");
  std::string detail = "The run was interrupted";
  if (!reason.empty()) detail.append(": ").append(reason);
  return problem(499, kInterrupted, std::move(detail));
}

void append_problem_fields(std::string& out, const Problem& problem, std::size_t detail_bytes_max) {
  out.append("\"type\":\"https://holodeck.dev/errors/").append(problem.type);
  out.append("\",\"title\":\"").append(problem.title);
  out.append("\",\"status\":").append(std::to_string(problem.status));
  out.append(",\"detail\":");
  append_cut_json_string(out, problem.detail, detail_bytes_max);
}

HttpResponse problem_response(const Problem& problem, RequestId request_id, std::size_t detail_bytes_max) {
  HttpResponse response = HttpResponse::empty(problem.status);
  response.set("Content-Type", "application/problem+json");
  response.body = "{";
  append_problem_fields(response.body, problem, detail_bytes_max);
  if (!request_id.is_nil()) response.body.append(",\"instance\":\"").append(to_prefixed(request_id)).append("\"");
  response.body += '}';
  return response;
}

HttpResponse error_response(const Error& error, RequestId request_id) {
  constexpr std::size_t kDetailBytesMax = 4 * 1024;  // names of files and fields are short already
  HttpResponse response = problem_response(problem_of(error), request_id, kDetailBytesMax);
  add_error_headers(response, error);
  return response;
}

}  // namespace braidlog::chat
