#include "event/run_state.h"

#include <algorithm>
#include <utility>

namespace braidlog {

namespace {

// One arm per event: the compiler lists an event that was forgotten.
struct Fold {
  RunState& state;
  const RunEvent& event;

  ToolCallState* call(ToolCallId id) const {
    const auto at = std::ranges::find(state.calls, id, &ToolCallState::id);
    return at == state.calls.end() ? nullptr : &*at;
  }
  TurnState* turn(std::uint32_t number) const {
    return number >= 1 && number <= state.turns.size() ? &state.turns[number - 1] : nullptr;
  }
  TaskState* task(TaskId id) const {
    const auto at = std::ranges::find_if(state.tasks, [&](const TaskState& t) { return t.item.id == id; });
    return at == state.tasks.end() ? nullptr : &*at;
  }
  void begin_part(std::uint32_t part) const { state.parts = std::max(state.parts, part); }

  void operator()(const RunQueued& e) const {
    state.request = e;
    state.queued_at = event.at;
  }
  void operator()(const RunStarted& e) const {
    state.begun = e;
    state.title = e.title;
    state.is_begun = true;
    state.started_at = event.at;
    state.tasks.clear();
    for (const auto& task : e.tasks) state.tasks.push_back({task.item, task.result, false});
  }
  void operator()(const AttachmentRead& e) const {
    auto& attachments = state.request.attachments;
    if (e.index >= attachments.size()) return;  // a damaged record
    attachments[e.index].text = e.text;
    state.attachments_read = e.index + 1;
  }
  void operator()(const RunResumed&) const {
    for (const auto& turn : state.turns) state.variables_lost = state.variables_lost || turn.code;
  }
  void operator()(const InterruptRequested& e) const {
    if (!state.interrupt_reason) state.interrupt_reason = e.reason;
  }
  void operator()(const ModelStarted& e) const {
    // Turns count up one by one; a damaged record must not make room for billions.
    if (e.turn == state.turns.size() + 1) state.turns.emplace_back();
    TurnState* t = turn(e.turn);
    if (t == nullptr) return;
    t->purpose = e.purpose;
    t->task = e.purpose == TurnPurpose::kReflection ? state.reflects_on : state.task;
    // The two are one message: the text moves on to where it is finished.
    if (TurnState* cut = turn(e.turn - 1); e.continues && cut != nullptr) t->text = std::exchange(cut->text, {});
  }
  void operator()(const TextStarted& e) const {
    begin_part(e.part);
    state.text_open = true;
  }
  void operator()(const TextDelta& e) const {
    if (TurnState* t = turn(e.turn); t != nullptr && e.part != 0) t->text += e.text;
    state.text += e.text;
    state.output_bytes += e.text.size();
  }
  void operator()(const TextFinished&) const { state.text_open = false; }
  void operator()(const ReasoningStarted& e) const {
    begin_part(e.part);
    state.reasoning_open = true;
    if (TurnState* t = turn(e.turn)) t->has_reasoning = true;
  }
  void operator()(const ReasoningDelta& e) const { state.output_bytes += e.text.size(); }
  void operator()(const ReasoningFinished&) const { state.reasoning_open = false; }
  void operator()(const ModelFinished& e) const {
    if (e.usage) {
      if (!state.usage) state.usage.emplace();
      *state.usage += *e.usage;
    }
    TurnState* t = turn(e.turn);
    if (t == nullptr) return;
    t->finished = true;
    t->finish = e.finish;
    t->usage = e.usage;
    t->opaque = e.opaque;
  }
  void operator()(const PlanMade& e) const {
    state.steps = std::max(state.steps, e.step_number);
    state.actions_unplanned = 0;
    state.has_plan = true;
    state.output_bytes += e.text.size();
    if (!state.turns.empty()) state.turns.back().text = e.text;
  }
  void operator()(const ToolCallStarted& e) const {
    ToolCallState call;
    call.id = e.call_id;
    call.turn = e.turn;
    call.name = e.name;
    call.provider_call_id = e.provider_call_id;
    call.by_code = e.by_code;
    state.calls.push_back(std::move(call));
  }
  void operator()(const ToolArgsDelta& e) const {
    state.output_bytes += e.fragment.size();
    if (ToolCallState* c = call(e.call_id)) c->args_text += e.fragment;
  }
  void operator()(const ToolCallReady& e) const {
    ToolCallState* c = call(e.call_id);
    if (c == nullptr) return;
    c->args_json = e.args_json;
    c->phase = CallPhase::kReady;
  }
  void operator()(const ToolCallAbandoned& e) const {
    if (ToolCallState* c = call(e.call_id)) c->phase = CallPhase::kAbandoned;
  }
  void operator()(const InputRequested& e) const {
    ToolCallState* c = call(e.call_id);
    if (c == nullptr) return;
    c->phase = CallPhase::kWaiting;
    c->approval = e.input_id;
    c->expires_ms = e.expires_ms;
    c->asked_version = e.tool_version;
  }
  void operator()(const InputGiven& e) const {
    ToolCallState* c = call(e.call_id);
    if (c == nullptr) return;
    const bool approved = e.verdict == Verdict::kApproved;
    c->phase = approved ? CallPhase::kPermitted : CallPhase::kRefused;
    if (!approved) c->result_text = refusal_text(e.reason);
  }
  void operator()(const ToolStarted& e) const {
    if (ToolCallState* c = call(e.call_id)) c->phase = CallPhase::kRunning;
  }
  void operator()(const ToolFinished& e) const {
    ToolCallState* c = call(e.call_id);
    if (c == nullptr) return;
    c->phase = CallPhase::kFinished;
    c->status = e.status;
    c->result_text = e.text;
    if (c->by_code) c->value_json = e.value_json;
    state.output_bytes += e.text.size() + e.value_json.size();
  }
  void operator()(const CodeStarted& e) const {
    TurnState* t = turn(e.turn);
    if (t == nullptr) return;
    t->code = e.code;
    state.code_open = true;
  }
  void operator()(const StepFinished& e) const {
    state.steps = std::max(state.steps, e.step_number);
    ++state.actions_unplanned;
    state.code_open = false;
    if (e.code_action) state.variables_lost = false;
    state.output_bytes += e.observations.size();
    TurnState* t = turn(e.turn);
    if (t == nullptr || !e.code_action) return;  // what tools answered is with their calls
    t->observations = e.observations;
    t->error = e.error;
  }
  void operator()(const ArtifactCreated&) const {}
  void operator()(const DataModified&) const {}
  void operator()(const TasksReplaced& e) const {
    std::vector<TaskState> tasks;
    for (const auto& item : e.tasks) {
      const TaskState* known = state.find_task(item.id);
      tasks.push_back({item, known != nullptr ? known->result : std::string(), false});
    }
    state.tasks = std::move(tasks);
  }
  void operator()(const TaskSelected& e) const {
    state.task = e.task_id;
    if (TaskState* t = task(e.task_id)) {
      t->item.status = TaskStatus::kInProgress;
      t->worked_on = true;
    }
  }
  void operator()(const TaskFinished& e) const {
    state.task.reset();
    state.reflects_on = e.task_id;
    if (TaskState* t = task(e.task_id)) {
      t->item.status = e.status;
      t->result = e.result;
    }
  }
  void operator()(const ReflectionMade& e) const {
    state.reflects_on.reset();
    state.output_bytes += e.text.size();
    if (!state.turns.empty()) state.turns.back().text = e.text;
  }
  void operator()(const Warning& e) const { state.without_tools = state.without_tools || e.code == kToolFallback; }
  void operator()(const RunCompleted& e) const {
    end(RunStatus::kCompleted);
    state.final_text = e.final_text;
    state.title = e.title;
  }
  void operator()(const RunFailed& e) const {
    end(RunStatus::kFailed);
    state.failure = e.code;
    state.failure_message = e.message;
  }
  void operator()(const RunInterrupted& e) const {
    end(RunStatus::kInterrupted);
    state.interrupt_reason = e.reason;
  }
  void end(RunStatus status) const {
    state.ended = status;
    state.ended_at = event.at;
  }
};

}  // namespace

std::string refusal_text(std::string_view reason) {
  if (reason == "denied") return "This tool call was refused by policy and was not run.";
  if (reason == "timeout") return "Nobody approved this tool call in time; it was not run.";
  if (reason == "interrupted") return "The run was interrupted; this tool call was not run.";
  if (reason == "user_rejected") return "The user rejected this tool call; it was not run.";
  return "The user rejected this tool call; it was not run. Reason: " + std::string(reason);
}

void RunState::apply(const RunEvent& event) {
  last = event.sequence;
  last_at = event.at;
  elapsed_ms = event.elapsed_ms;
  std::visit(Fold{*this, event}, event.body);
}

RunStatus RunState::status() const {
  if (is_over(ended)) return ended;
  if (!is_begun) return RunStatus::kQueued;
  if (interrupt_reason) return RunStatus::kInterrupting;
  bool waiting = false;
  for (const auto& call : calls) {
    if (call.phase == CallPhase::kRunning) return RunStatus::kRunning;
    waiting = waiting || call.phase == CallPhase::kWaiting;
  }
  return waiting && !is_thinking() ? RunStatus::kWaitingApproval : RunStatus::kRunning;
}

const ToolCallState* RunState::find_call(ToolCallId id) const {
  const auto at = std::ranges::find(calls, id, &ToolCallState::id);
  return at == calls.end() ? nullptr : &*at;
}

const ToolCallState* RunState::find_approval(ApprovalId id) const {
  const auto at = std::ranges::find(calls, std::optional(id), &ToolCallState::approval);
  return at == calls.end() ? nullptr : &*at;
}

const TaskState* RunState::find_task(TaskId id) const {
  const auto at = std::ranges::find_if(tasks, [&](const TaskState& task) { return task.item.id == id; });
  return at == tasks.end() ? nullptr : &*at;
}

std::optional<std::uint32_t> RunState::next_unread_attachment() const {
  for (std::uint32_t i = attachments_read; i < request.attachments.size(); ++i) {
    if (!request.attachments[i].is_text()) return i;
  }
  return std::nullopt;
}

const TaskState* RunState::next_pending_task() const {
  const auto at =
      std::ranges::find_if(tasks, [](const TaskState& task) { return task.item.status == TaskStatus::kPending; });
  return at == tasks.end() ? nullptr : &*at;
}

}  // namespace braidlog
