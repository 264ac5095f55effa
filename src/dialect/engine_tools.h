// The engine's own tools. The model calls them like any other, so their calls are in the log; no contract
// shows them as tool calls.
#pragma once

#include <string_view>

namespace braidlog {

inline constexpr bool is_engine_tool(std::string_view name) {
  return name == "set_tasks" || name == "fail_task" || name == "final_answer";
}

}  // namespace braidlog
