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
    if (e.text.empty()) return;
    effects.messages.push_back(
        {e.user_message_id, "user", e.text, event.at, run_id, attached_text(after.request.attachments)});
  }
  void operator()(const ModelFinished&) const { effects.usage = after.usage; }
  void operator()(const InputRequested& e) const {
    effects.approvals_opened.push_back(
        {e.input_id, run_id, after.request.session_id, e.tool_name, e.args_json, event.at});
  }
  void operator()(const InputGiven& e) const {
    effects.approvals_closed.emplace_back(e.input_id, e.verdict);
    const ToolCallState* call = after.find_call(e.call_id);
    if (e.apply_to_future && e.verdict == Verdict::kApproved && call) effects.tools_approved.push_back(call->name);
  }
  void operator()(const RunCompleted&) const { end(); }
  void operator()(const RunFailed& e) const {
    end();
    effects.failure = e.code;
    effects.failure_message = e.message;
  }
  void operator()(const RunInterrupted&) const { end(); }
  // Most events change nothing but the log.
  template <class Other>
  void operator()(const Other&) const {}

  // However a run ends, what the user saw of its answer is part of the conversation.
  void end() const {
    effects.ended_at = event.at;
    effects.usage = after.usage;
    if (after.text.empty()) return;
    effects.messages.push_back({after.begun.assistant_message_id, "assistant", after.text, event.at, run_id, {}});
  }
};

}  // namespace

RunEffects effects_of(RunId run_id, const RunState& after, const std::vector<RunEvent>& events) {
  RunEffects effects;
  effects.status = after.status();
  for (const auto& event : events) std::visit(Collect{run_id, after, event, effects}, event.body);
  return effects;
}

}  // namespace braidlog
