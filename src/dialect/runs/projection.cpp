// Frames are built straight into the output, without a JSON tree or a temporary per event: this runs once per
// token of every live run.
#include "dialect/runs/projection.h"

#include "base/json.h"
#include "dialect/event_id.h"
#include "dialect/runs/errors.h"
#include "dialect/wire_text.h"
#include "event/engine_tools.h"

namespace braidlog::runs {

// One overload per event and no template: an event without a decision here does not compile.
struct RunsProjection::Visitor {
  RunsProjection& self;
  const RunEvent& event;
  Frames& frames;
  std::string& out = frames.bytes;

  // ---- the envelope: begin, the payload's fields, end ----

  // `first`: what the payload of all frames of this type begins with.
  void begin(std::string_view type, std::string_view first = {}) const {
    if (!self.head_.is_of(type) || self.head_at_ != event.at) self.make_head(type, event.at, first);
    self.head_.append_to(out, event.sequence);
  }
  void end() const {
    out.append("}}\n\n");
    frames.mark({event.sequence, 0});
  }
  // `key` is written as it stands: `"text":` or `,"text":`.
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
    out.append(key).append("\"").append(Tag::kPrefix);
    append_ulid(out, value.value);
    out.append("\"");
  }

  // ---- the run ----

  void operator()(const RunQueued& e) const { self.know_session(e.session_id); }
  void operator()(const RunStarted& e) const {
    self.know_session(e.session_id);
    begin("run_started");
    out.append("\"status\":\"running\"");
    end();
  }
  void operator()(const RunResumed&) const {}
  void operator()(const InterruptRequested&) const {}
  void operator()(const RunCompleted& e) const {
    begin("run_completed");
    out.append("\"status\":\"completed\"");
    cut_string(",\"final_text\":", e.final_text);
    end();
  }
  void operator()(const RunFailed& e) const {
    begin("run_failed");
    out.append("\"status\":\"failed\"");
    string(",\"error_code\":", failure_code(e.code));
    cut_string(",\"message\":", e.message);
    end();
  }
  void operator()(const RunInterrupted& e) const {
    begin("run_interrupted");
    out.append("\"status\":\"interrupted\"");
    if (!e.reason.empty()) cut_string(",\"reason\":", e.reason);
    end();
  }

  // ---- the model ----

  void operator()(const ModelStarted&) const {}
  void operator()(const TextStarted&) const {}
  // Never cut: the deltas of a run, put together, are its text.
  void operator()(const TextDelta& e) const {
    if (e.text.empty()) return;
    begin("assistant_delta", "\"text\":");
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
  void operator()(const ToolCallReady&) const {}
  void operator()(const ToolCallAbandoned& e) const { self.approvals_.erase(e.call_id); }
  // The arguments are never cut: who approves must see what will run.
  void operator()(const InputRequested& e) const {
    begin("tool_call_proposed");
    id("\"approval_id\":", e.input_id);
    string(",\"tool_name\":", e.tool_name);
    out.append(",\"args\":").append(e.args_json.empty() ? "{}" : e.args_json);
    end();
  }
  void operator()(const InputGiven& e) const {
    switch (e.verdict) {
      case Verdict::kApproved:
        self.approvals_.insert_or_assign(e.call_id, e.input_id);
        begin("tool_call_approved");
        id("\"approval_id\":", e.input_id);
        end();
        return;
      case Verdict::kRejected:
        begin("tool_call_rejected");
        id("\"approval_id\":", e.input_id);
        cut_string(",\"reason\":", e.reason);
        end();
        return;
    }
  }
  void operator()(const ToolStarted&) const {}
  void operator()(const ToolFinished& e) const {
    if (is_engine_tool(e.name)) return;
    begin("tool_result");
    string("\"tool_name\":", e.name);
    out.append(e.status == ToolStatus::kOk ? ",\"success\":true" : ",\"success\":false");
    cut_string(",\"result\":", e.text);
    id(",\"tool_call_id\":", e.call_id);
    if (const auto approval = self.approvals_.find(e.call_id); approval != self.approvals_.end()) {
      id(",\"approval_id\":", approval->second);
      self.approvals_.erase(approval);
    }
    end();
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

RunsProjection::RunsProjection(RunId run_id, std::size_t wire_text_bytes_max)
    : wire_text_bytes_max_(wire_text_bytes_max), run_id_(run_id) {}

void RunsProjection::project(const RunEvent& event, Frames& out) {
  std::visit(Visitor{*this, event, out}, event.body);
}

void RunsProjection::know_session(SessionId session_id) {
  session_id_ = session_id;
  head_.forget();
}

void RunsProjection::make_head(std::string_view type, WallTime at, std::string_view first) {
  const std::string prefix = event_id_prefix(run_id_);
  std::string time;
  append_iso8601(time, at);
  head_.begin(type).add("event: ").add(type).add("\nid: ").add(prefix).add_sequence();
  head_.add("\ndata: {\"event_id\":\"").add(prefix).add_sequence();
  head_.add("\",\"session_id\":\"").add(to_prefixed(session_id_));
  head_.add("\",\"run_id\":\"").add(to_prefixed(run_id_)).add("\",\"type\":\"").add(type);
  head_.add("\",\"ts\":\"").add(time).add("\",\"payload\":{").add(first);
  head_at_ = at;
}

}  // namespace braidlog::runs
