// What an agent wanted an administrator to see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"

namespace braidlog::api {

struct Alert {
  std::uint64_t ticket = 0;  // given by the store, increasing
  WallTime at;
  std::string user_id;
  SessionId session_id;
  RunId run_id;
  ToolCallId call_id;  // with run_id: made once, however often it is tried
  std::string message;
  std::string priority;  // "low", "normal", "high" or "critical"
};

// For admins alone, newest first; kForbidden for others.
using AlertList = std::vector<Alert>;
struct ListAlerts {
  using ReplyValue = AlertList;
  std::uint32_t limit = 100;
};

}  // namespace braidlog::api
