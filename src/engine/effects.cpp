#include "engine/effects.h"

#include "engine/first_events.h"

namespace braidlog {

namespace {

struct Collect {
  RunId run_id;
  const RunState& after;
  const RunEvent& event;
  RunEffects& effects;

  void operator()(const RunStarted& e) const {
    effects.started_at = event.at;
    if (is_execution()) set_status(api::SessionStatus::kExecuting);
    if (e.text.empty()) return;
    effects.messages.push_back(
        {e.user_message_id, "user", e.text, event.at, run_id, attached_text(after.request.attachments)});
  }
  void operator()(const AttachmentRead&) const {
    effects.attached = AttachedText{after.begun.user_message_id, attached_text(after.request.attachments)};
  }
  void operator()(const ModelFinished&) const { effects.usage = after.usage; }
  void operator()(const InputRequested& e) const {
    effects.approvals_opened.push_back(
        {e.input_id, run_id, after.request.session_id, e.tool_name, e.args_json, event.at});
  }
  void operator()(const InputGiven& e) const {
    effects.approvals_closed.emplace_back(e.input_id, e.verdict);
    const ToolCallState* call = after.find_call(e.call_id);
    // A tool that has become another one is asked about again in the same breath: what was approved is gone.
    const bool is_answered = call != nullptr && call->approval == e.input_id;
    if (e.apply_to_future && e.verdict == Verdict::kApproved && is_answered) {
      effects.tools_approved.push_back(approved_name(call->name, call->asked_version));
    }
  }
  void operator()(const TasksReplaced& e) const {
    effects.tasks = e.tasks;
    effects.task_changes.clear();
    const bool pending = after.next_pending_task() != nullptr;
    set_status(pending || e.tasks.empty() ? api::SessionStatus::kPlanning : api::SessionStatus::kCompleted);
  }
  void operator()(const TaskSelected& e) const { change({e.task_id, TaskStatus::kInProgress, {}, {}}); }
  void operator()(const TaskFinished& e) const { change({e.task_id, e.status, e.result, {}}); }
  void operator()(const ReflectionMade& e) const {
    const TaskState* task = after.find_task(e.task_id);
    change({e.task_id, task != nullptr ? task->item.status : TaskStatus::kDone, {}, e.text});
  }
  void operator()(const ArtifactCreated& e) const {
    effects.artifacts.push_back(
        {e.artifact_id, after.request.session_id, e.task_id, e.name, e.type, e.content, event.at});
    effects.changed_at = event.at;
  }
  void operator()(const DataModified& e) const {
    effects.data_items.push_back(
        {e.operation, {e.item_id, after.request.session_id, e.item_type, e.data_json, event.at, event.at}});
    effects.changed_at = event.at;
  }
  void operator()(const RunCompleted& e) const {
    end(e.message_text);
    if (is_execution()) set_status(api::SessionStatus::kCompleted);
  }
  void operator()(const RunFailed& e) const {
    cut();
    effects.failure = e.code;
    effects.failure_message = e.message;
  }
  void operator()(const RunInterrupted&) const { cut(); }
  // Most events change nothing but the log.
  template <class Other>
  void operator()(const Other&) const {}

  // However a run ends, what the user saw of its answer is part of the conversation. An execution has none.
  void cut() const {
    end(is_execution() ? std::string() : after.text);
    if (!is_execution()) return;
    // The task in hand waits for the next execution.
    if (after.task) change({*after.task, TaskStatus::kPending, {}, {}});
    const bool pending = after.task || after.next_pending_task() != nullptr;
    set_status(pending ? api::SessionStatus::kPlanning : api::SessionStatus::kCompleted);
  }
  void end(const std::string& message) const {
    effects.ended_at = event.at;
    effects.usage = after.usage;
    if (message.empty()) return;
    effects.messages.push_back({after.begun.assistant_message_id, "assistant", message, event.at, run_id, {}});
  }
  bool is_execution() const { return after.request.way == Way::kExecute; }
  void set_status(api::SessionStatus status) const {
    effects.session_status = status;
    effects.changed_at = event.at;
  }
  void change(TaskChange task) const {
    effects.task_changes.push_back(std::move(task));
    effects.changed_at = event.at;
  }
};

}  // namespace

std::string approved_name(const std::string& tool, const std::string& version) {
  return version.empty() ? tool : tool + "@" + version;
}

RunEffects effects_of(RunId run_id, const RunState& after, const std::vector<RunEvent>& events) {
  RunEffects effects;
  add_effects(run_id, after, events, effects);
  return effects;
}

void add_effects(RunId run_id, const RunState& after, const std::vector<RunEvent>& events, RunEffects& into) {
  into.status = after.status();
  for (const auto& event : events) std::visit(Collect{run_id, after, event, into}, event.body);
}

}  // namespace braidlog
