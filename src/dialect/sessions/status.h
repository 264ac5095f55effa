// How far a session is with its tasks. Without tasks there is nothing to execute, so every session is planning.
#pragma once

#include <optional>
#include <string_view>

#include "api/session.h"

namespace braidlog::sessions {

enum class SessionStatus { kPlanning, kExecuting, kCompleted };

inline SessionStatus status_of(const api::Session&) {
  return SessionStatus::kPlanning;
}

inline std::string_view status_name(SessionStatus status) {
  switch (status) {
    case SessionStatus::kPlanning: return "planning";
    case SessionStatus::kExecuting: return "executing";
    case SessionStatus::kCompleted: return "completed";
  }
  return "planning";
}

inline std::optional<SessionStatus> status_named(std::string_view name) {
  for (const auto status : {SessionStatus::kPlanning, SessionStatus::kExecuting, SessionStatus::kCompleted}) {
    if (name == status_name(status)) return status;
  }
  return std::nullopt;
}

}  // namespace braidlog::sessions
