#include "engine/prompt.h"

#include <algorithm>

#include "engine/first_events.h"

namespace braidlog {

namespace {

// The id under which the model knows a call: its provider's own, or ours where it gave none or gave one
// twice.
std::string model_call_id(const RunState& state, const ToolCallState& call) {
  const auto same = std::ranges::count(state.calls, call.provider_call_id, &ToolCallState::provider_call_id);
  return call.provider_call_id.empty() || same > 1 ? to_prefixed(call.id) : call.provider_call_id;
}

std::string result_of(const ToolCallState& call) {
  return is_closed(call.phase) ? call.result_text : "This call has no result.";
}

void append_turn(std::vector<ModelMessage>& out, const RunState& state, std::size_t index) {
  const TurnState& turn = state.turns[index];
  ModelMessage message;
  message.role = ModelMessage::Role::kAssistant;
  message.text = turn.text;
  message.opaque = turn.opaque;
  std::vector<ModelMessage> results;
  for (const auto& call : state.calls) {
    if (call.turn != index + 1 || call.phase == CallPhase::kStreaming || call.phase == CallPhase::kAbandoned) continue;
    const std::string id = model_call_id(state, call);
    message.calls.push_back({id, call.name, call.args_json});
    results.push_back({ModelMessage::Role::kTool, result_of(call), {}, id, {}});
  }
  if (message.text.empty() && message.calls.empty()) return;
  out.push_back(std::move(message));
  std::ranges::move(results, std::back_inserter(out));
}

}  // namespace

ModelRequest make_prompt(const RunnableAgent& agent, const std::vector<api::Message>& history, const RunState& state) {
  ModelRequest request;
  request.instructions = agent.agent.instructions;
  request.context = state.request.context;
  for (const auto& message : history) {
    const auto role = message.role == "user" ? ModelMessage::Role::kUser : ModelMessage::Role::kAssistant;
    request.messages.push_back({role, message.content + message.attached, {}, {}, {}});
  }
  if (!state.request.text.empty()) {
    const std::string text = state.request.text + attached_text(state.request.attachments);
    request.messages.push_back({ModelMessage::Role::kUser, text, {}, {}, {}});
  }
  for (std::size_t i = 0; i < state.turns.size(); ++i) append_turn(request.messages, state, i);
  request.continue_last = state.is_thinking() && !state.turns.back().text.empty();
  if (state.without_tools) return request;
  for (const auto& tool : agent.tools) {
    const auto& spec = tool->spec();
    request.tools.push_back({spec.name, spec.description, spec.parameters_json});
  }
  return request;
}

}  // namespace braidlog
