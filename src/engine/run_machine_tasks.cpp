// The part of the run machine that goes through tasks, and that answers the engine's own tools.
#include <algorithm>

#include "base/check.h"
#include "base/json.h"
#include "engine/own_tools.h"
#include "engine/run_machine.h"
#include "event/engine_tools.h"

namespace braidlog {

namespace {

constexpr std::size_t kTasksMin = 3;
constexpr std::size_t kTasksMax = 10;

}  // namespace

// The intent, what it does and the result are one step: no crash comes between them.
void RunMachine::answer_own_tool(const ToolCallState& call) {
  emit(ToolStarted{call.id, call.name, Permission::kReads});
  if (call.name == kSetTasks) return set_tasks(call);
  const auto args = parse_json(call.args_json);
  BRAIDLOG_CHECK(args.has_value());
  const std::string text = call.name == kFailTask ? read_reason(*args) : "The answer was given.";
  std::string value;
  append_json_string(value, text);
  emit(ToolFinished{call.id, call.name, ToolStatus::kOk, std::move(value), text});
}

void RunMachine::set_tasks(const ToolCallState& call) {
  const auto refuse_list = [&](ToolStatus status, std::string why) {
    emit(ToolFinished{call.id, call.name, status, "null", std::move(why)});
  };
  const auto args = parse_json(call.args_json);
  BRAIDLOG_CHECK(args.has_value());
  auto wanted = read_new_tasks(*args);
  if (!wanted) return refuse_list(ToolStatus::kInvalidArguments, wanted.error().message);
  const bool asked_before = std::ranges::any_of(state_.calls, [](const ToolCallState& earlier) {
    return earlier.name == kSetTasks && earlier.phase == CallPhase::kFinished &&
           earlier.status == ToolStatus::kToolError;
  });
  const bool is_list = wanted->size() >= kTasksMin && wanted->size() <= kTasksMax;
  if (!is_list && !asked_before) {
    return refuse_list(ToolStatus::kToolError, "A list has 3 to 10 tasks, this one has " +
                                                   std::to_string(wanted->size()) +
                                                   ". Call set_tasks once more with 3 to 10 tasks.");
  }
  if (wanted->size() > kTasksMax) wanted->resize(kTasksMax);
  TasksReplaced replaced;
  for (const auto& task : state_.tasks) {
    if (task.item.status == TaskStatus::kDone || task.item.status == TaskStatus::kFailed) {
      replaced.tasks.push_back(task.item);
    }
  }
  if (replaced.tasks.size() + wanted->size() > limits_.session_tasks_max) {
    return refuse_list(ToolStatus::kInvalidArguments, "This session has too many tasks already.");
  }
  for (auto& task : *wanted) {
    task.id = ids_.make<TaskId>();
    replaced.tasks.push_back(std::move(task));
  }
  for (std::size_t i = 0; i < replaced.tasks.size(); ++i) replaced.tasks[i].order = static_cast<std::uint32_t>(i);
  const std::string text = "The list was set: " + std::to_string(wanted->size()) + " pending tasks.";
  emit(std::move(replaced));
  std::string value;
  append_json_string(value, text);
  emit(ToolFinished{call.id, call.name, ToolStatus::kOk, std::move(value), text});
}

void RunMachine::next_task() {
  const TaskState* task = state_.next_pending_task();
  if (task == nullptr) return complete();
  emit(TaskSelected{task->item.id});
  next_turn();
}

void RunMachine::finish_task(TaskStatus status, std::string result) {
  BRAIDLOG_CHECK(state_.task.has_value());
  TaskFinished event{*state_.task, status, std::move(result), {}};
  if (status == TaskStatus::kFailed) event.error = event.result;
  emit(std::move(event));
  next_turn();
}

}  // namespace braidlog
