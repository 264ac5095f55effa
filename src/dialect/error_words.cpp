#include "dialect/error_words.h"

#include <algorithm>
#include <string_view>

#include "base/utf8.h"

namespace braidlog {

namespace {

// Whose words the message is in.
enum class Words { kOwn, kFixed };

struct Row {
  int status;
  std::string_view text;  // when the error has none of its own, or they are not for clients
  Words words = Words::kOwn;
};

constexpr Row kUnavailable{503, "The server cannot do this now; try again later", Words::kFixed};
constexpr Row kInternal{500, "Something went wrong inside the server", Words::kFixed};

Row row_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadField: return {400, "A field of the request is wrong"};
    case ErrorCode::kMalformed: return {400, "The request cannot be read"};
    case ErrorCode::kUnsupportedMedia: return {400, "This type of file cannot be read"};
    case ErrorCode::kBadFile: return {400, "The file cannot be read"};
    case ErrorCode::kLimitExceeded: return {400, "The request goes over a limit"};
    case ErrorCode::kTooLarge: return {413, "The request is too large"};
    case ErrorCode::kHeadTooLarge: return {431, "The headers are too large"};
    case ErrorCode::kTooSlow: return {408, "The request took too long"};
    case ErrorCode::kInvalidPath: return {422, "This is no path inside the workspace"};
    case ErrorCode::kUnauthorized: return {401, "Authentication required"};
    case ErrorCode::kForbidden: return {403, "This request is not allowed"};
    case ErrorCode::kMethodNotAllowed: return {405, "Method not allowed"};
    case ErrorCode::kUnknownRoute: return {404, "There is nothing at this address"};
    case ErrorCode::kSessionNotFound: return {404, "Session not found"};
    case ErrorCode::kRunNotFound: return {404, "Run not found"};
    case ErrorCode::kApprovalNotFound: return {404, "Approval not found"};
    case ErrorCode::kFileNotFound: return {404, "File not found"};
    case ErrorCode::kAgentNotFound: return {404, "Agent not found"};
    case ErrorCode::kTaskNotFound: return {404, "Task not found"};
    case ErrorCode::kArtifactNotFound: return {404, "Artifact not found"};
    case ErrorCode::kDataItemNotFound: return {404, "Data item not found"};
    case ErrorCode::kGone: return {410, "The events of this run are no longer kept"};
    case ErrorCode::kActiveRunExists: return {409, "The session already has an active run"};
    case ErrorCode::kIdempotencyConflict: return {409, "The idempotency key was used for another request"};
    case ErrorCode::kInvalidState: return {409, "The run is over"};
    case ErrorCode::kAlreadyDecided: return {409, "The approval was decided before"};
    case ErrorCode::kNoPendingTask: return {409, "The session has no pending task"};
    case ErrorCode::kRateLimited: return {429, "Too many requests; try again later"};
    case ErrorCode::kUnavailable: return {503, "The server is busy or stopping; try again later"};
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
    case ErrorCode::kToolsRefused:
    case ErrorCode::kToolFailed:
    case ErrorCode::kToolInvalidArguments:
    case ErrorCode::kToolTimeout: return kInternal;
  }
  return kInternal;
}

std::string retry_after(const Error& error) {
  const std::string& s = error.subject;
  const bool is_number =
      !s.empty() && s.size() <= 6 && std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? s : "1";
}

}  // namespace

int usual_status(ErrorCode code) {
  return row_of(code).status;
}

std::string client_message(const Error& error) {
  const Row row = row_of(error.code);
  const bool own = row.words == Words::kOwn && !error.message.empty();
  return own ? to_valid_utf8(error.message) : std::string(row.text);
}

std::string_view failure_text(std::string_view message) {
  return message.empty() ? "Something went wrong" : message;
}

void add_error_headers(HttpResponse& response, const Error& error) {
  if (response.status == 405) response.set("Allow", error.subject);
  if (response.status == 401) response.set("WWW-Authenticate", "Bearer");
  if (response.status == 429 || response.status == 503) response.set("Retry-After", retry_after(error));
}

}  // namespace braidlog
