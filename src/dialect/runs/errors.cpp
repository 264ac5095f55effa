#include "dialect/runs/errors.h"

#include <algorithm>
#include <string>

#include "base/json.h"
#include "base/utf8.h"

namespace braidlog::runs {

namespace {

// Whose words the message is in: the error's own where it tells the caller about the request, a fixed text
// where it tells about our inside.
enum class Words { kOwn, kFixed };

struct Row {
  int status;
  std::string_view code;
  std::string_view text;
  Words words = Words::kOwn;
};

constexpr Row kUnavailable{503, "UNAVAILABLE", "The server cannot do this now; try again later", Words::kFixed};
constexpr Row kInternal{500, "INTERNAL_ERROR", "Something went wrong inside the server", Words::kFixed};

Row row_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadField: return {400, "BAD_REQUEST", "A field of the request is wrong"};
    case ErrorCode::kMalformed: return {400, "BAD_REQUEST", "The request cannot be read"};
    case ErrorCode::kLimitExceeded: return {400, "BAD_REQUEST", "The request goes over a limit"};
    case ErrorCode::kTooLarge: return {413, "PAYLOAD_TOO_LARGE", "The request is too large"};
    case ErrorCode::kInvalidPath: return {422, "INVALID_PATH", "This is no path inside the workspace"};
    case ErrorCode::kUnauthorized: return {401, "UNAUTHORIZED", "Authentication required"};
    case ErrorCode::kForbidden: return {403, "FORBIDDEN", "This request is not allowed"};
    case ErrorCode::kMethodNotAllowed: return {405, "METHOD_NOT_ALLOWED", "Method not allowed"};
    case ErrorCode::kUnknownRoute: return {404, "NOT_FOUND", "There is nothing at this address"};
    case ErrorCode::kSessionNotFound: return {404, "SESSION_NOT_FOUND", "Session not found"};
    case ErrorCode::kRunNotFound: return {404, "RUN_NOT_FOUND", "Run not found"};
    case ErrorCode::kApprovalNotFound: return {404, "APPROVAL_NOT_FOUND", "Approval not found"};
    case ErrorCode::kFileNotFound: return {404, "FILE_NOT_FOUND", "File not found"};
    case ErrorCode::kAgentNotFound: return {404, "AGENT_NOT_FOUND", "Agent not found"};
    case ErrorCode::kGone: return {410, "REPLAY_UNAVAILABLE", "The events of this run are no longer kept"};
    case ErrorCode::kActiveRunExists: return {409, "ACTIVE_RUN_EXISTS", "The session already has an active run"};
    case ErrorCode::kIdempotencyConflict:
      return {409, "IDEMPOTENCY_CONFLICT", "The idempotency key was used for another request"};
    case ErrorCode::kInvalidState: return {409, "INVALID_STATE", "The run is over"};
    case ErrorCode::kAlreadyDecided: return {409, "APPROVAL_ALREADY_PROCESSED", "The approval was decided before"};
    case ErrorCode::kRateLimited: return {429, "RATE_LIMITED", "Too many requests; try again later"};
    case ErrorCode::kUnavailable: return {503, "UNAVAILABLE", "The server is busy or stopping; try again later"};
    case ErrorCode::kStorage:
    case ErrorCode::kFenced:
    case ErrorCode::kOutcomeUnknown:
    case ErrorCode::kCancelled: return kUnavailable;
    // What a model or a tool does is an event of its run. Before a stream none of these can be meant for the
    // caller.
    case ErrorCode::kInternal:
    case ErrorCode::kProvider:
    case ErrorCode::kProviderTimeout:
    case ErrorCode::kProviderRateLimited:
    case ErrorCode::kUpstreamTruncated:
    case ErrorCode::kToolFailed:
    case ErrorCode::kToolInvalidArguments:
    case ErrorCode::kToolTimeout: return kInternal;
  }
  return kInternal;
}

void write_details(JsonWriter& w, const Error& error) {
  w.begin_object();
  if (!error.subject.empty()) {
    if (error.code == ErrorCode::kActiveRunExists) w.key("run_id").string(to_valid_utf8(error.subject));
    if (error.code == ErrorCode::kBadField) w.key("field").string(to_valid_utf8(error.subject));
  }
  w.end_object();
}

// Seconds, from the subject where it is a number.
std::string retry_after(const Error& error) {
  const std::string& s = error.subject;
  const bool is_number =
      !s.empty() && s.size() <= 6 && std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? s : "1";
}

}  // namespace

HttpResponse error_response(const Error& error) {
  const Row row = row_of(error.code);
  const bool own = row.words == Words::kOwn && !error.message.empty();
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("error").begin_object();
  w.key("code").string(row.code);
  w.key("message").string(own ? to_valid_utf8(error.message) : row.text);
  w.key("details");
  write_details(w, error);
  w.end_object().end_object();
  auto response = HttpResponse::json(row.status, std::move(body));
  if (row.status == 405) response.set("Allow", error.subject);
  if (row.status == 401) response.set("WWW-Authenticate", "Bearer");
  if (row.status == 429 || row.status == 503) response.set("Retry-After", retry_after(error));
  return response;
}

std::string_view failure_code(FailureCode code) {
  switch (code) {
    case FailureCode::kProvider: return "PROVIDER_ERROR";
    case FailureCode::kProviderTimeout: return "PROVIDER_TIMEOUT";
    case FailureCode::kRateLimited: return "RATE_LIMITED";
    case FailureCode::kUpstreamTruncated: return "UPSTREAM_TRUNCATED";
    case FailureCode::kMaxSteps: return "MAX_STEPS";
    case FailureCode::kLimitExceeded: return "LIMIT_EXCEEDED";
    case FailureCode::kStorage: return "STORAGE_ERROR";
    case FailureCode::kInternal: return "INTERNAL_ERROR";
  }
  return "INTERNAL_ERROR";  // a code written by a newer version
}

}  // namespace braidlog::runs
