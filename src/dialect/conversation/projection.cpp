#include "dialect/conversation/projection.h"

#include <array>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "dialect/conversation/redact.h"
#include "dialect/conversation/resources.h"
#include "dialect/error_words.h"
#include "dialect/event_id.h"
#include "dialect/wire_text.h"
#include "event/engine_tools.h"
#include "event/run_state.h"

namespace braidlog::conversation {

namespace {

std::string_view error_kind(ToolStatus status) {
  switch (status) {
    case ToolStatus::kTimeout: return "TimeoutError";
    case ToolStatus::kInvalidArguments: return "ValidationError";
    case ToolStatus::kOutcomeUnknown: return "OutcomeUnknown";
    case ToolStatus::kOk:
    case ToolStatus::kToolError:
    case ToolStatus::kCancelled: return "ToolError";
  }
  return "ToolError";  // a status written by a newer version
}

}  // namespace

// One overload per event and no template: an event without a decision here does not compile.
struct ConversationProjection::Visitor {
  ConversationProjection& self;
  const RunEvent& event;
  Frames& frames;
  std::string& out = frames.bytes;

  // ---- the envelope: begin, the fields, end ----

  // `part`: which of the event's frames this is, where it has several. `first`: what all frames of this type begin
  // with.
  void begin(std::string_view type, std::optional<std::uint32_t> part = {}, std::string_view first = {}) const {
    if (part) {
      out.append("id: ");
      append_event_id(out, {self.run_id_, event.sequence, FramePart{kPartMark, *part}});
      out.append("\ndata: {\"type\":\"").append(type).append("\"").append(first);
      return;
    }
    FrameHead& head = self.head_;
    if (!head.is_of(type)) {
      head.begin(type).add("id: ").add(event_id_prefix(self.run_id_)).add_sequence();
      head.add("\ndata: {\"type\":\"").add(type).add("\"").add(first);
    }
    head.append_to(out, event.sequence);
  }
  void end(std::uint32_t part = 0) const {
    out.append("}\n\n");
    frames.mark({event.sequence, part});
  }
  // `key` is written as it stands: `,"content":`.
  void string(std::string_view key, std::string_view value) const {
    out.append(key);
    append_json_string(out, value);
  }
  void cut_string(std::string_view key, std::string_view value) const {
    out.append(key);
    append_cut_json_string(out, value, self.wire_text_bytes_max_);
  }
  void time() const {
    out.append(",\"ts\":\"");
    append_iso8601(out, event.at);
    out.append("\"");
  }

  // ---- the run ----

  void operator()(const RunQueued& e) const { self.session_id_ = e.session_id; }
  void operator()(const RunStarted& e) const {
    self.session_id_ = e.session_id;
    if (e.message_position == 1) {
      self.first_message_ = {e.user_message_id, "user", e.text, event.at, self.run_id_};
      self.answer_id_ = e.assistant_message_id;
    }
    begin("start");
    string(",\"user_id\":", e.user_id);
    string(",\"conversation_id\":", to_uuid(e.session_id));
    string(",\"conversation_title\":", e.title);
    std::string names;
    for (const auto& name : e.tool_names) {
      if (is_engine_tool(name)) continue;
      if (!names.empty()) names += ',';
      append_json_string(names, name);
    }
    out.append(names.empty() ? ",\"tools_enabled\":false" : ",\"tools_enabled\":true");
    out.append(",\"tool_names\":[").append(names).append("]");
    end();
  }
  void operator()(const RunResumed&) const {}
  void operator()(const InterruptRequested&) const {}
  // The messages are never cut: a client may take them for its own copy.
  void operator()(const RunCompleted& e) const {
    begin("conversation", 0);
    if (self.begins_with(e)) {
      const api::Message answer{self.answer_id_, "assistant", e.message_text, event.at, self.run_id_};
      conversation(e.title, std::array{*self.first_message_, answer});
    } else {
      BRAIDLOG_CHECK(self.history_ != nullptr);  // needs_history() said so
      conversation(e.title, first_messages(*self.history_, e.message_position));
      self.history_.reset();
    }
    end(0);
    begin("done", 1);
    end(1);
  }
  void conversation(std::string_view title, std::span<const api::Message> messages) const {
    out.append(",\"conversation\":");
    append_conversation(out, {.id = self.session_id_, .title = title, .updated_at = event.at, .messages = messages});
  }
  void operator()(const RunFailed& e) const { fatal(failure_text(e.message)); }
  void operator()(const RunInterrupted&) const { fatal(kInterruptedText); }
  void fatal(std::string_view message) const {
    begin("error");
    cut_string(",\"message\":", message);
    end();
  }
  void operator()(const Warning& e) const { warning(e.code, e.message); }
  void warning(std::string_view code, std::string_view message) const {
    begin("warning");
    string(",\"code\":", code);
    cut_string(",\"message\":", message);
    end();
  }

  // ---- the model ----

  void operator()(const ModelStarted&) const {}
  void operator()(const TextStarted&) const {}
  // Never cut: the tokens of a run, put together, are its text.
  void operator()(const TextDelta& e) const {
    if (e.text.empty()) return;
    begin("token", {}, ",\"content\":");
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
    if (is_engine_tool(e.name)) return;
    OpenCall call{e.name, {}, std::nullopt};
    append_safe_json(call.safe_args, e.args_json.empty() ? "{}" : e.args_json, self.wire_text_bytes_max_);
    self.calls_.insert_or_assign(e.call_id, std::move(call));
  }
  void operator()(const ToolCallAbandoned& e) const { self.calls_.erase(e.call_id); }
  void operator()(const InputRequested& e) const {
    if (e.decided_by_policy || is_engine_tool(e.tool_name)) return;
    warning("approval_required", "The tool " + e.tool_name + " needs approval before it can run.");
  }
  void operator()(const InputGiven& e) const {
    if (e.verdict == Verdict::kApproved) return;
    const auto call = self.calls_.find(e.call_id);
    if (call == self.calls_.end()) return;
    // No person decided: the run ends, and its ending is shown instead.
    const bool run_ends = e.reason == "interrupted" && e.user_id.empty();
    if (!run_ends) {
      tool_start(e.call_id, call->second, "", 0);
      tool_error(e.call_id, call->second, {"PermissionDenied", refusal_text(e.reason)}, 1);
    }
    self.calls_.erase(call);
  }
  void operator()(const ToolStarted& e) const {
    if (is_engine_tool(e.name)) return;
    OpenCall& call = known_call(e.call_id, e.name);
    if (call.started_elapsed) return;
    call.started_elapsed = event.elapsed_ms;
    tool_start(e.call_id, call, e.display, std::nullopt);
  }
  void operator()(const ToolFinished& e) const {
    if (is_engine_tool(e.name)) return;
    const OpenCall& call = known_call(e.call_id, e.name);
    std::optional<std::uint32_t> part;
    if (!call.started_elapsed) {
      tool_start(e.call_id, call, "", 0);
      part = 1;
    }
    if (e.status == ToolStatus::kOk) {
      tool_end(e, call, part);
    } else {
      tool_error(e.call_id, call, {error_kind(e.status), e.text}, part);
    }
    self.calls_.erase(e.call_id);
  }
  void operator()(const StepFinished&) const {}
  void operator()(const CodeStarted&) const {}
  void operator()(const AttachmentRead&) const {}

  OpenCall& known_call(ToolCallId id, const std::string& name) const {
    return self.calls_.try_emplace(id, OpenCall{name, "{}", std::nullopt}).first->second;
  }

  void begin_call(std::string_view type, ToolCallId id, const OpenCall& call, std::optional<std::uint32_t> part) const {
    begin(type, part);
    string(",\"tool_call_id\":", to_prefixed(id));
    cut_string(",\"tool_name\":", call.name);
  }
  void tool_start(ToolCallId id, const OpenCall& call, std::string_view display,
                  std::optional<std::uint32_t> part) const {
    begin_call("tool_start", id, call, part);
    out.append(",\"args\":").append(call.safe_args);
    time();
    if (!display.empty()) cut_string(",\"display\":", display);
    end(part.value_or(0));
  }
  void duration(const OpenCall& call) const {
    const std::uint32_t began = call.started_elapsed.value_or(event.elapsed_ms);
    out.append(",\"duration_ms\":").append(std::to_string(event.elapsed_ms - began));
  }
  void tool_end(const ToolFinished& e, const OpenCall& call, std::optional<std::uint32_t> part) const {
    begin_call("tool_end", e.call_id, call, part);
    out.append(",\"status\":\"success\"");
    duration(call);
    out.append(",\"result\":");
    append_safe_json(out, e.value_json.empty() ? "null" : e.value_json, self.wire_text_bytes_max_);
    time();
    if (!e.display.empty()) cut_string(",\"display\":", e.display);
    end(part.value_or(0));
  }
  struct ToolProblem {
    std::string_view kind;
    std::string message;
  };
  void tool_error(ToolCallId id, const OpenCall& call, const ToolProblem& problem,
                  std::optional<std::uint32_t> part) const {
    begin_call("tool_error", id, call, part);
    out.append(",\"status\":\"error\"");
    duration(call);
    out.append(",\"error\":{\"message\":");
    append_safe_text(out, problem.message, self.wire_text_bytes_max_);
    string(",\"kind\":", problem.kind);
    out.append("}");
    time();
    end(part.value_or(0));
  }

  // ---- what other contracts show ----

  void operator()(const ArtifactCreated&) const {}
  void operator()(const DataModified&) const {}
  void operator()(const TasksReplaced&) const {}
  void operator()(const TaskSelected&) const {}
  void operator()(const TaskFinished&) const {}
  void operator()(const ReflectionMade&) const {}
};

ConversationProjection::ConversationProjection(RunId run_id, std::size_t wire_text_bytes_max)
    : wire_text_bytes_max_(wire_text_bytes_max), run_id_(run_id) {}

std::optional<HistoryNeed> ConversationProjection::needs_history(const RunEvent& event) const {
  const auto* completed = std::get_if<RunCompleted>(&event.body);
  if (completed == nullptr || begins_with(*completed)) return std::nullopt;
  return HistoryNeed{.session_id = session_id_, .message_count = completed->message_position};
}

bool ConversationProjection::begins_with(const RunCompleted& end) const {
  return first_message_ && end.message_position == 2;
}

void ConversationProjection::project(const RunEvent& event, Frames& out) {
  std::visit(Visitor{*this, event, out}, event.body);
}

}  // namespace braidlog::conversation
