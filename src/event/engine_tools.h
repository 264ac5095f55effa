// The engine's own tools. The model calls them like any other, so their calls are in the log; no contract
// shows them as tool calls.
#pragma once

#include <string_view>

namespace braidlog {

inline constexpr std::string_view kSetTasks = "set_tasks";        // {tasks: [{title, description}]}
inline constexpr std::string_view kFailTask = "fail_task";        // {reason}
inline constexpr std::string_view kFinalAnswer = "final_answer";  // {answer}

inline constexpr bool is_engine_tool(std::string_view name) {
  return name == kSetTasks || name == kFailTask || name == kFinalAnswer;
}

}  // namespace braidlog
