// Frames are built straight into the output, without a JSON tree or a temporary per event: this runs once per
// token of every live run.
#include "dialect/chat/projection.h"

#include "base/json.h"
#include "dialect/chat/errors.h"
#include "dialect/chat/resources.h"
#include "dialect/event_id.h"
#include "event/engine_tools.h"

namespace braidlog::chat {

// One overload per event and no template: an event without a decision here does not compile.
struct ChatProjection::Visitor {
  ChatProjection& self;
  const RunEvent& event;
  Frames& frames;
  std::string& out = frames.bytes;

  // ---- a frame: begin, its fields, end ----

  // `first`: what all frames of this type begin with.
  void begin(std::string_view type, std::string_view first = {}) const {
    if (!self.head_.is_of(type)) {
      self.head_.begin(type).add("event: ").add(type).add("\nid: ").add(event_id_prefix(self.run_id_)).add_sequence();
      self.head_.add("\ndata: {").add(first);
    }
    self.head_.append_to(out, event.sequence);
  }
  void end() const {
    out.append("}\n\n");
    frames.mark({event.sequence, 0});
  }
  // `key` is written as it stands: `"delta":` or `,"delta":`.
  void string(std::string_view key, std::string_view value) const {
    out.append(key);
    append_json_string(out, value);
  }
  void call_id(const ToolCallId& id) const {
    out.append("\"tool_call_id\":\"").append(ToolCallTag::kPrefix);
    append_ulid(out, id.value);
    out.append("\"");
  }
  void args(const ToolCallId& id, std::string_view text) const {
    begin("tool_call_args");
    call_id(id);
    string(",\"args_delta\":", text);
    end();
  }
  void end_call(const ToolCallId& id, CallStatus status) const {
    if (self.open_calls_.erase(id) == 0) return;
    begin("tool_call_end");
    call_id(id);
    string(",\"status\":", name_of(status));
    end();
  }
  void error(const Problem& problem) const {
    begin("error");
    append_problem_fields(out, problem, self.wire_text_bytes_max_);
    end();
  }

  // ---- the run ----

  void operator()(const RunQueued&) const {}
  void operator()(const RunStarted& e) const {
    self.know_message(e.assistant_message_id);
    begin("stream_start");
    out.append("\"session_id\":\"");
    append_ulid(out, e.session_id.value);
    out.append("\",").append(self.message_id_);
    end();
  }
  void operator()(const RunResumed&) const {}
  void operator()(const InterruptRequested&) const {}
  void operator()(const RunCompleted& e) const {
    begin("stream_end");
    out.append(self.message_id_).append(",\"tokens_used\":");
    append_tokens_used(out, e.usage);
    out.append(",\"execution_time_ms\":").append(std::to_string(event.elapsed_ms));
    end();
  }
  void operator()(const RunFailed& e) const { error(problem_of_failure(e.code, e.message)); }
  void operator()(const RunInterrupted& e) const { error(problem_of_interruption(e.reason)); }

  // ---- the model ----

  void operator()(const ModelStarted&) const {}
  void operator()(const TextStarted&) const {}
  // Never cut: the deltas of a run, put together, are its text.
  void operator()(const TextDelta& e) const {
    if (e.text.empty()) return;
    begin("message_delta", "\"delta\":");
    append_json_string(out, e.text);
    out.append(self.delta_end_);
    frames.mark({event.sequence, 0});
  }
  void operator()(const TextFinished&) const {}
  void operator()(const ReasoningStarted&) const {}
  void operator()(const ReasoningDelta&) const {}
  void operator()(const ReasoningFinished&) const {}
  void operator()(const ModelFinished&) const {}
  void operator()(const PlanMade&) const {}

  // ---- tool calls ----

  void operator()(const ToolCallStarted& e) const {
    if (is_engine_tool(e.name)) return;
    self.open_calls_.insert_or_assign(e.call_id, Arguments::kNone);
    begin("tool_call_start");
    call_id(e.call_id);
    string(",\"name\":", e.name);
    out.append(",").append(self.message_id_);
    end();
  }
  void operator()(const ToolArgsDelta& e) const {
    const auto call = self.open_calls_.find(e.call_id);
    if (call == self.open_calls_.end() || e.fragment.empty()) return;
    call->second = Arguments::kSome;
    args(e.call_id, e.fragment);
  }
  // Some models write nothing at all for a call without arguments. What a client puts together must be JSON even so,
  // hence the arguments as the tool gets them, in one piece.
  void operator()(const ToolCallReady& e) const {
    const auto call = self.open_calls_.find(e.call_id);
    if (call == self.open_calls_.end() || call->second != Arguments::kNone) return;
    args(e.call_id, e.args_json.empty() ? "{}" : std::string_view(e.args_json));
  }
  void operator()(const ToolCallAbandoned& e) const { end_call(e.call_id, CallStatus::kError); }
  void operator()(const InputRequested&) const {}
  void operator()(const InputGiven& e) const {
    switch (e.verdict) {
      case Verdict::kApproved: return;
      case Verdict::kRejected: return end_call(e.call_id, CallStatus::kError);
    }
  }
  void operator()(const ToolStarted&) const {}
  void operator()(const ToolFinished& e) const {
    end_call(e.call_id, e.status == ToolStatus::kOk ? CallStatus::kSuccess : CallStatus::kError);
  }
  void operator()(const StepFinished&) const {}
  void operator()(const CodeStarted&) const {}
  void operator()(const AttachmentRead&) const {}

  // ---- what other contracts show ----

  void operator()(const ArtifactCreated&) const {}
  void operator()(const DataModified&) const {}
  void operator()(const TasksReplaced&) const {}
  void operator()(const TaskSelected&) const {}
  void operator()(const TaskFinished&) const {}
  void operator()(const ReflectionMade&) const {}
  void operator()(const Warning&) const {}
};

ChatProjection::ChatProjection(RunId run_id, std::size_t wire_text_bytes_max)
    : wire_text_bytes_max_(wire_text_bytes_max), run_id_(run_id) {
  know_message({});
}

void ChatProjection::know_message(MessageId id) {
  message_id_ = "\"message_id\":\"" + to_ulid(id) + "\"";
  delta_end_ = "," + message_id_ + "}\n\n";
}

void ChatProjection::project(const RunEvent& event, Frames& out) {
  std::visit(Visitor{*this, event, out}, event.body);
}

}  // namespace braidlog::chat
