#include "base/error.h"

namespace braidlog {

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadField: return "bad_field";
    case ErrorCode::kMalformed: return "malformed";
    case ErrorCode::kTooLarge: return "too_large";
    case ErrorCode::kHeadTooLarge: return "head_too_large";
    case ErrorCode::kTooSlow: return "too_slow";
    case ErrorCode::kUnsupportedMedia: return "unsupported_media";
    case ErrorCode::kBadFile: return "bad_file";
    case ErrorCode::kInvalidPath: return "invalid_path";
    case ErrorCode::kUnauthorized: return "unauthorized";
    case ErrorCode::kForbidden: return "forbidden";
    case ErrorCode::kMethodNotAllowed: return "method_not_allowed";
    case ErrorCode::kUnknownRoute: return "unknown_route";
    case ErrorCode::kSessionNotFound: return "session_not_found";
    case ErrorCode::kRunNotFound: return "run_not_found";
    case ErrorCode::kApprovalNotFound: return "approval_not_found";
    case ErrorCode::kFileNotFound: return "file_not_found";
    case ErrorCode::kAgentNotFound: return "agent_not_found";
    case ErrorCode::kTaskNotFound: return "task_not_found";
    case ErrorCode::kArtifactNotFound: return "artifact_not_found";
    case ErrorCode::kDataItemNotFound: return "data_item_not_found";
    case ErrorCode::kGone: return "gone";
    case ErrorCode::kActiveRunExists: return "active_run_exists";
    case ErrorCode::kIdempotencyConflict: return "idempotency_conflict";
    case ErrorCode::kInvalidState: return "invalid_state";
    case ErrorCode::kAlreadyDecided: return "already_decided";
    case ErrorCode::kNoPendingTask: return "no_pending_task";
    case ErrorCode::kRateLimited: return "rate_limited";
    case ErrorCode::kUnavailable: return "unavailable";
    case ErrorCode::kStorage: return "storage";
    case ErrorCode::kFenced: return "fenced";
    case ErrorCode::kInternal: return "internal";
    case ErrorCode::kProvider: return "provider";
    case ErrorCode::kProviderTimeout: return "provider_timeout";
    case ErrorCode::kProviderRateLimited: return "provider_rate_limited";
    case ErrorCode::kUpstreamTruncated: return "upstream_truncated";
    case ErrorCode::kToolsRefused: return "tools_refused";
    case ErrorCode::kToolFailed: return "tool_failed";
    case ErrorCode::kToolInvalidArguments: return "tool_invalid_arguments";
    case ErrorCode::kToolTimeout: return "tool_timeout";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kOutcomeUnknown: return "outcome_unknown";
    case ErrorCode::kLimitExceeded: return "limit_exceeded";
  }
  return "unknown";
}

}  // namespace braidlog
