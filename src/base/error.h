// What can go wrong through no fault of ours, as a value. The set of codes is closed: callers switch over it,
// each dialect maps it to its own status and body in one place, and nobody matches on message text.
#pragma once

#include <string>
#include <utility>

namespace braidlog {

enum class ErrorCode {
  // The request.
  kBadField,          // a field is missing, blank, too long or of the wrong type
  kMalformed,         // not JSON, not UTF-8, not multipart
  kTooLarge,          // bytes over a transport limit
  kHeadTooLarge,      // the request's head over its own
  kTooSlow,           // the request did not come to its end in time
  kUnsupportedMedia,  // a file of a type that cannot be read; `subject` is its name
  kBadFile,           // a file of a type that is read, but not this one: broken, or too much
  kInvalidPath,       // a workspace path that leaves the workspace
  kUnauthorized,      // no credential, or a bad one
  kForbidden,         // another site, or an unknown Host
  kMethodNotAllowed,  // the path exists, the method does not; `subject` is the Allow list
  kUnknownRoute,
  // The object.
  kSessionNotFound,
  kRunNotFound,
  kApprovalNotFound,
  kFileNotFound,
  kAgentNotFound,
  kTaskNotFound,
  kArtifactNotFound,
  kDataItemNotFound,
  kGone,  // past retention
  // The state.
  kActiveRunExists,      // `subject` is the active run, as a prefixed id
  kIdempotencyConflict,  // same key, other request
  kInvalidState,         // the run is over
  kAlreadyDecided,       // the approval was consumed
  kNoPendingTask,        // there is nothing to execute
  // The load.
  kRateLimited,
  kUnavailable,  // overload or draining
  // The inside.
  kStorage,
  kFenced,  // another owner has the run, or the sequence is not the expected one
  kInternal,
  // The upstream model.
  kProvider,
  kProviderTimeout,
  kProviderRateLimited,
  kUpstreamTruncated,
  kToolsRefused,  // the model cannot be called with tools; without them it may answer
  // A tool.
  kToolFailed,
  kToolInvalidArguments,
  kToolTimeout,
  kCancelled,
  kOutcomeUnknown,  // it may have been done
  // A limit of the run itself.
  kLimitExceeded,
};

// The code's name in lower case with underscores, for logs and metrics. Never shown to a client as a
// contract's word.
const char* name_of(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // for people; holds no secret, path or SQL
  std::string subject;  // what it is about, where the code says so
};

}  // namespace braidlog
