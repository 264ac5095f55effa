#include "legal_order.h"

#include "dialect/contracts.h"

namespace braidlog::sim {

namespace {

// The text behind `key` up to the next quote; empty without it.
std::string_view text_after(std::string_view frame, std::string_view key) {
  const auto at = frame.find(key);
  if (at == frame.npos) return {};
  frame.remove_prefix(at + key.size());
  return frame.substr(0, frame.find('"'));
}

bool has_number(std::string_view frame, std::uint32_t number) {
  return frame.find("\"step_number\":" + std::to_string(number) + ",") != frame.npos;
}

}  // namespace

LegalOrder::LegalOrder(std::string_view contract)
    : is_steps_(contract == kStepsContract), is_known_(is_steps_ || contract == kTasksContract) {}

void LegalOrder::on_event(const RunEvent& event) {
  if (const auto* e = std::get_if<RunQueued>(&event.body)) executes_ = e->way == Way::kExecute;
  if (at_ == At::kBegin && executes_ && !is_steps_) at_ = At::kBetween;
}

bool LegalOrder::take(std::string_view frame) {
  if (!is_known_) return true;
  const std::string_view type = text_after(frame, "data: {\"type\":\"");
  if (is_steps_) return take_step(type, frame);
  if (!frame.starts_with("event: " + std::string(type) + "\n") || frame.find("\nid: ") != frame.npos) return false;
  const auto task = text_after(frame, "data: {\"type\":\"" + std::string(type) + "\",\"taskId\":\"");
  return executes_ ? take_execution(type, frame, task) : take_turn(type, !task.empty());
}

bool LegalOrder::go(bool right, At to) {
  at_ = to;
  return right;
}

bool LegalOrder::take_step(std::string_view type, std::string_view frame) {
  if (type == "message") return go(at_ == At::kBegin, At::kSteps);
  if (type == "step") return go(at_ == At::kSteps && has_number(frame, ++steps_), At::kSteps);
  if (type == "final") return go(at_ == At::kSteps && has_number(frame, ++steps_), At::kDone);
  if (type == "error") return go(at_ == At::kSteps, At::kDone);
  return go(type == "done" && at_ == At::kDone, At::kEnd);
}

bool LegalOrder::take_turn(std::string_view type, bool names_task) {
  if (at_ != At::kBegin || names_task) return false;
  if (type == "content" || type == "tasks_updated") return true;
  return go(type == "done" || type == "error", At::kEnd);
}

bool LegalOrder::take_execution(std::string_view type, std::string_view frame, std::string_view task) {
  if (type == "error" && task.empty()) return go(at_ != At::kEnd, At::kEnd);
  if (type == "done") return go(at_ == At::kBetween && frame.find("\"summary\":{\"total\":") != frame.npos, At::kEnd);
  if (type == "task_selected") {
    const bool is_new = !task.empty() && task != task_;
    task_ = task;
    return go(at_ == At::kBetween && is_new, At::kTask);
  }
  if (task.empty() || task != task_) return false;
  if (type == "tool_call") {
    tool_ = text_after(frame, "\"tool\":\"");
    return go(at_ == At::kTask, At::kCall);
  }
  if (type == "artifact_created" || type == "data_modified") return at_ == At::kCall;
  if (type == "tool_result") return go(at_ == At::kCall && text_after(frame, "\"tool\":\"") == tool_, At::kTask);
  if (type == "error") return go(at_ == At::kTask, At::kFailed);
  if (type == "task_completed") {
    const bool failed = frame.find("\"status\":\"failed\"") != frame.npos;
    return go(at_ == (failed ? At::kFailed : At::kTask), At::kCompleted);
  }
  return go(type == "reflection" && at_ == At::kCompleted, At::kBetween);
}

}  // namespace braidlog::sim
