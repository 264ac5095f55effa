#include "dialect/steps/projection.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "dialect/error_words.h"
#include "dialect/event_id.h"
#include "dialect/steps/resources.h"
#include "dialect/wire_text.h"

namespace braidlog::steps {

// One overload per event and no template: an event without a decision here does not compile.
struct StepsProjection::Visitor {
  StepsProjection& self;
  const RunEvent& event;
  Frames& frames;
  std::string& out = frames.bytes;

  // ---- a frame: begin, one JSON object, end ----

  // `part`: which of the event's frames this is, where it has several.
  void begin(std::optional<std::uint32_t> part = {}) const {
    out.append(self.id_line_);
    append_event_sequence(out, event.sequence);
    if (part) out.append(".").append(1, kPartMark).append(std::to_string(*part));
    out.append("\ndata: ");
  }
  void end(std::uint32_t part = 0) const {
    out.append("\n\n");
    frames.mark({event.sequence, part});
  }
  void cut_string(std::string_view text) const { append_cut_json_string(out, text, self.wire_text_bytes_max_); }

  // ---- the run ----

  void operator()(const RunQueued&) const {}
  // An execute run has no text: its content is empty.
  void operator()(const RunStarted& e) const {
    begin();
    out.append("{\"type\":\"message\",\"role\":\"user\",\"content\":");
    cut_string(e.text);
    out.append(",\"timestamp\":\"");
    append_iso8601(out, event.at);
    out.append("\"}");
    end();
  }
  void operator()(const RunResumed&) const {}
  void operator()(const InterruptRequested&) const {}
  void operator()(const RunCompleted& e) const {
    begin(0);
    out.append("{\"type\":\"final\",\"step_number\":").append(std::to_string(self.last_step_ + 1));
    out.append(",\"output\":");
    output(e);
    out.append("}");
    end(0);
    done();
  }
  void operator()(const RunFailed& e) const { fatal(failure_text(e.message)); }
  void operator()(const RunInterrupted&) const { fatal(kInterruptedText); }
  void fatal(std::string_view message) const {
    begin(0);
    out.append("{\"type\":\"error\",\"error\":");
    cut_string(message);
    out.append("}");
    end(0);
    done();
  }
  void done() const {
    begin(1);
    out.append("{\"type\":\"done\"}");
    end(1);
  }

  // The value that the agent gave as its answer. A string is a text and is cut like one; half of any other value would
  // be no JSON, so one that is too long is shown as its text, cut.
  void output(const RunCompleted& e) const {
    const auto value = e.final_json ? parse_json(*e.final_json) : Result<json::value>(fail(ErrorCode::kMalformed, ""));
    if (!value) return cut_string(e.final_text);
    if (const auto* text = value->if_string()) return cut_string(*text);
    const std::string written = to_json(*value);
    written.size() <= self.wire_text_bytes_max_ ? void(out.append(written)) : cut_string(written);
  }

  // ---- steps ----

  void operator()(const PlanMade& e) const { step(e); }
  void operator()(const StepFinished& e) const { step(e); }
  template <class Step>
  void step(const Step& e) const {
    self.last_step_ = std::max(self.last_step_, e.step_number);
    begin();
    append_step(out, e, self.wire_text_bytes_max_);
    end();
  }

  // ---- what steps are made of: they are shown when they are whole ----

  void operator()(const ModelStarted&) const {}
  void operator()(const TextStarted&) const {}
  void operator()(const TextDelta&) const {}
  void operator()(const TextFinished&) const {}
  void operator()(const ReasoningStarted&) const {}
  void operator()(const ReasoningDelta&) const {}
  void operator()(const ReasoningFinished&) const {}
  void operator()(const ModelFinished&) const {}
  void operator()(const ToolCallStarted&) const {}
  void operator()(const ToolArgsDelta&) const {}
  void operator()(const ToolCallReady&) const {}
  void operator()(const ToolCallAbandoned&) const {}
  void operator()(const InputRequested&) const {}
  void operator()(const InputGiven&) const {}
  void operator()(const ToolStarted&) const {}
  void operator()(const ToolFinished&) const {}
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

StepsProjection::StepsProjection(RunId run_id, std::size_t wire_text_bytes_max)
    : wire_text_bytes_max_(wire_text_bytes_max), id_line_("id: " + event_id_prefix(run_id)) {}

void StepsProjection::project(const RunEvent& event, Frames& out) {
  std::visit(Visitor{*this, event, out}, event.body);
}

}  // namespace braidlog::steps
