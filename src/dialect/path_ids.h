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
inline Result<TaskId> task_id_of(std::string_view text) {
  if (const auto id = TaskId::parse(text)) return *id;
  return fail(ErrorCode::kTaskNotFound, "Task not found");
}
inline Result<ArtifactId> artifact_id_of(std::string_view text) {
  if (const auto id = ArtifactId::parse(text)) return *id;
  return fail(ErrorCode::kArtifactNotFound, "Artifact not found");
}
inline Result<DataItemId> data_item_id_of(std::string_view text) {
  if (const auto id = DataItemId::parse(text)) return *id;
  return fail(ErrorCode::kDataItemNotFound, "Data item not found");
}

}  // namespace braidlog
