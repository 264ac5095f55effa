// The order of frames that a contract promises, for those that have one of their own:
//
//   steps            message, step*, final | error, done; numbers from 1, the final one's is the next
//   tasks, a turn    content* and tasks_updated*, then done | error
//   tasks, execute   per task: task_selected, (tool_call, what it changed*, tool_result)*, task_completed, reflection,
//                    with an error that names the task before a completion that failed; then done, or an error at any
//                    point that names no task
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "event/run_event.h"

namespace braidlog::sim {

class LegalOrder {
 public:
  explicit LegalOrder(std::string_view contract);

  // The event that the next frames are made of.
  void on_event(const RunEvent& event);
  // False: this frame may not stand here.
  bool take(std::string_view frame);
  // Nothing may follow.
  bool is_over() const { return at_ == At::kEnd || !is_known_; }

 private:
  enum class At { kBegin, kSteps, kDone, kBetween, kTask, kCall, kFailed, kCompleted, kEnd };
  bool take_step(std::string_view type, std::string_view frame);
  bool take_turn(std::string_view type, bool names_task);
  bool take_execution(std::string_view type, std::string_view frame, std::string_view task);
  bool go(bool right, At to);

  bool is_steps_ = false, is_known_ = false, executes_ = false;
  At at_ = At::kBegin;
  std::uint32_t steps_ = 0;
  std::string task_, tool_;
};

}  // namespace braidlog::sim
