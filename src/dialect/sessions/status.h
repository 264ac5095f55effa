// The words for how far a session is with its tasks.
#pragma once

#include <optional>
#include <string_view>

#include "api/session.h"

namespace braidlog::sessions {

inline std::string_view status_name(api::SessionStatus status) {
  switch (status) {
    case api::SessionStatus::kPlanning: return "planning";
    case api::SessionStatus::kExecuting: return "executing";
    case api::SessionStatus::kCompleted: return "completed";
  }
  return "planning";  // a status written by a newer version
}

inline std::optional<api::SessionStatus> status_named(std::string_view name) {
  using enum api::SessionStatus;
  for (const auto status : {kPlanning, kExecuting, kCompleted}) {
    if (name == status_name(status)) return status;
  }
  return std::nullopt;
}

}  // namespace braidlog::sessions
