// Ids in paths. Every spelling is read; what is no id names nothing, so it is not found.
#pragma once

#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace braidlog {

inline Result<SessionId> session_id_of(std::string_view text) {
  if (const auto id = SessionId::parse(text)) return *id;
  return fail(ErrorCode::kSessionNotFound, "Session not found");
}
inline Result<RunId> run_id_of(std::string_view text) {
  if (const auto id = RunId::parse(text)) return *id;
  return fail(ErrorCode::kRunNotFound, "Run not found");
}
inline Result<ApprovalId> approval_id_of(std::string_view text) {
  if (const auto id = ApprovalId::parse(text)) return *id;
  return fail(ErrorCode::kApprovalNotFound, "Approval not found");
}

}  // namespace braidlog
