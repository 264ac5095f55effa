// Frames are built straight into the output, without a JSON tree or a temporary per event: this runs once per
// token of every live run.
#include "dialect/tasks/projection.h"

#include <utility>

#include "base/json.h"
#include "dialect/error_words.h"
#include "dialect/session_items.h"
#include "dialect/wire_text.h"
#include "event/engine_tools.h"
#include "event/run_state.h"

namespace braidlog::tasks {

namespace {

constexpr std::string_view kTaskFailedText = "The task failed";

}  // namespace

// One overload per event and no template: an event without a decision here does not compile.
struct TasksProjection::Visitor {
  TasksProjection& self;
  const RunEvent& event;
  Frames& frames;
  std::string& out = frames.bytes;
  mutable std::uint32_t part = 0;  // of the event's frames

  // ---- a frame: begin, its fields, end ----

  void begin(std::string_view type) const {
    out.append("event: ").append(type).append("\ndata: {\"type\":\"").append(type).append("\"");
  }
  void end() const {
    out.append("}\n\n");
    frames.mark({event.sequence, part++});
  }
  // `key` is written as it stands: `,"name":`.
  void string(std::string_view key, std::string_view value) const {
    out.append(key);
    append_json_string(out, value);
  }
  void cut_string(std::string_view key, std::string_view value) const {
    out.append(key);
    append_cut_json_string(out, value, self.wire_text_bytes_max_);
  }
  template <class Tag>
  void id(std::string_view key, const Id<Tag>& value) const {
    out.append(key).append("\"").append(to_uuid(value)).append("\"");
  }

  // ---- the run ----

  void operator()(const RunQueued& e) const { self.executes_ = e.way == Way::kExecute; }
  void operator()(const RunStarted&) const {}
  void operator()(const RunResumed&) const {}
  void operator()(const InterruptRequested&) const {}
  void operator()(const RunCompleted& e) const {
    begin("done");
    if (self.executes_) {
      out.append(",\"summary\":{\"total\":").append(std::to_string(e.tasks_total));
      out.append(",\"completed\":").append(std::to_string(e.tasks_done));
      out.append(",\"failed\":").append(std::to_string(e.tasks_failed)).append("}");
    }
    end();
  }
  void operator()(const RunFailed& e) const { fatal(failure_text(e.message)); }
  void operator()(const RunInterrupted&) const { fatal(kInterruptedText); }
  void fatal(std::string_view message) const {
    begin("error");
    cut_string(",\"error\":", message);
    end();
  }
  void operator()(const Warning&) const {}

  // ---- the model ----

  void operator()(const ModelStarted&) const {}
  void operator()(const TextStarted&) const {}
  // Never cut: the deltas of a run, put together, are its text.
  void operator()(const TextDelta& e) const {
    if (self.executes_ || e.text.empty()) return;
    out.append("event: content\ndata: {\"type\":\"content\",\"content\":");
    append_json_string(out, e.text);
    end();
  }
  void operator()(const TextFinished&) const {}
  void operator()(const ReasoningStarted&) const {}
  void operator()(const ReasoningDelta&) const {}
  void operator()(const ReasoningFinished&) const {}
  void operator()(const ModelFinished&) const {}
  void operator()(const PlanMade&) const {}

  // ---- tool calls ----

  void operator()(const ToolCallStarted&) const {}
  void operator()(const ToolArgsDelta&) const {}
  void operator()(const ToolCallReady& e) const {
    if (!self.executes_ || is_engine_tool(e.name)) return;
    self.calls_.insert_or_assign(e.call_id, OpenCall{e.name, e.args_json});
  }
  void operator()(const ToolCallAbandoned& e) const { self.calls_.erase(e.call_id); }
  void operator()(const InputRequested&) const {}
  void operator()(const InputGiven& e) const {
    const auto call = self.calls_.find(e.call_id);
    if (e.verdict == Verdict::kApproved || call == self.calls_.end()) return;
    // No person decided: the run ends, and its ending is shown instead.
    const bool run_ends = e.reason == "interrupted" && e.user_id.empty();
    run_ends ? void(self.calls_.erase(call)) : finish(e.call_id, refusal_text(e.reason));
  }
  void operator()(const ToolStarted& e) const {
    if (!self.executes_ || is_engine_tool(e.name)) return;
    line_up(e.call_id, e.name);
    show_line();
  }
  void operator()(const ToolFinished& e) const {
    if (!self.executes_ || is_engine_tool(e.name)) return;
    line_up(e.call_id, e.name);
    finish(e.call_id, e.text);
  }
  void operator()(const StepFinished&) const {}
  void operator()(const CodeStarted&) const {}
  void operator()(const AttachmentRead&) const {}

  // A call without a task cannot be shown: every frame that tells of a tool names one.
  void line_up(ToolCallId call_id, const std::string& name) const {
    OpenCall& call = self.calls_.try_emplace(call_id, OpenCall{name, {}}).first->second;
    if (call.task || !self.task_) return;
    call.task = self.task_;
    self.line_.push_back(call_id);
  }
  // One that never started (refused, wrong arguments, no such tool) is shown to begin and end at once.
  void finish(ToolCallId call_id, std::string_view text) const {
    OpenCall& call = self.calls_.at(call_id);
    line_up(call_id, call.name);
    call.changes = std::exchange(self.changes_, {});
    call.output.emplace();
    append_cut_json_string(*call.output, text, self.wire_text_bytes_max_);
    if (!call.task) self.calls_.erase(call_id);
    show_line();
  }
  void show_line() const {
    for (; !self.line_.empty(); self.line_.pop_front()) {
      OpenCall& call = self.calls_.at(self.line_.front());
      if (!std::exchange(call.shown, true)) {
        begin_call("tool_call", call);
        out.append(",\"input\":").append(call.args_json.empty() ? "{}" : std::exchange(call.args_json, {}));
        end();
      }
      if (!call.output) return;
      for (const auto& change : call.changes) {
        out.append(change);
        frames.mark({event.sequence, part++});
      }
      begin_call("tool_result", call);
      out.append(",\"output\":").append(*call.output);
      end();
      self.calls_.erase(self.line_.front());
    }
  }
  void begin_call(std::string_view type, const OpenCall& call) const {
    begin(type);
    id(",\"taskId\":", *call.task);
    string(",\"tool\":", call.name);
  }

  // ---- what agents leave in the session ----

  void operator()(const ArtifactCreated& e) const {
    const auto task = e.task_id ? e.task_id : self.task_;
    if (!self.executes_ || !task) return;
    keep_change([&](const Visitor& to) {
      to.begin("artifact_created");
      to.id(",\"taskId\":", *task);
      to.id(",\"artifactId\":", e.artifact_id);
      to.cut_string(",\"name\":", e.name);
      to.string(",\"artifactType\":", artifact_type_name(e.type));
    });
  }
  void operator()(const DataModified& e) const {
    const auto task = e.task_id ? e.task_id : self.task_;
    if (!self.executes_ || !task) return;
    keep_change([&](const Visitor& to) {
      to.begin("data_modified");
      to.id(",\"taskId\":", *task);
      to.id(",\"dataItemId\":", e.item_id);
      to.string(",\"operation\":", data_operation_name(e.operation));
      to.cut_string(",\"itemType\":", e.item_type);
    });
  }
  template <class Write>
  void keep_change(Write write) const {
    Frames one;
    const Visitor to{self, event, one};
    write(to);
    to.end();
    self.changes_.push_back(std::move(one.bytes));
  }

  // ---- tasks ----

  void operator()(const TasksReplaced& e) const {
    if (self.executes_) return;
    begin("tasks_updated");
    out.append(",\"tasks\":[");
    for (std::string_view comma = ""; const auto& task : e.tasks) {
      out.append(std::exchange(comma, ","));
      id("{\"id\":", task.id);
      cut_string(",\"title\":", task.title);
      cut_string(",\"description\":", task.description);
      string(",\"status\":", task_status_name(task.status));
      out.append(",\"order\":").append(std::to_string(task.order)).append("}");
    }
    out.append("]");
    end();
  }
  void operator()(const TaskSelected& e) const {
    if (!self.executes_) return;
    self.forget_calls();
    self.task_ = e.task_id;
    begin("task_selected");
    id(",\"taskId\":", e.task_id);
    end();
  }
  void operator()(const TaskFinished& e) const {
    if (!self.executes_) return;
    self.forget_calls();
    self.task_.reset();
    // Work that was cut off is not finished: the end of the run tells of it.
    if (e.status != TaskStatus::kDone && e.status != TaskStatus::kFailed) return;
    const bool failed = e.status == TaskStatus::kFailed;
    const std::string_view error = e.error && !e.error->empty() ? *e.error : std::string_view(kTaskFailedText);
    if (failed) {
      begin("error");
      id(",\"taskId\":", e.task_id);
      cut_string(",\"error\":", error);
      end();
    }
    begin("task_completed");
    id(",\"taskId\":", e.task_id);
    out.append(failed ? ",\"status\":\"failed\"" : ",\"status\":\"done\"");
    cut_string(",\"result\":", failed && e.result.empty() ? error : e.result);
    end();
  }
  void operator()(const ReflectionMade& e) const {
    if (!self.executes_) return;
    begin("reflection");
    id(",\"taskId\":", e.task_id);
    cut_string(",\"text\":", e.text);
    end();
  }
};

void TasksProjection::forget_calls() {
  calls_.clear();
  line_.clear();
  changes_.clear();
}

void TasksProjection::project(const RunEvent& event, Frames& out) {
  std::visit(Visitor{*this, event, out}, event.body);
}

}  // namespace braidlog::tasks
