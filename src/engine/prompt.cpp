#include "engine/prompt.h"

#include <algorithm>

#include "base/utf8.h"
#include "engine/context_window.h"
#include "engine/first_events.h"
#include "engine/own_tools.h"

namespace braidlog {

namespace {

constexpr std::size_t kEarlierResultBytesMax = 2'000;

constexpr char kAskPlan[] =
    "Before you act, write a short plan: what is known, and the steps that lead to the answer. Only the plan, no "
    "answer "
    "yet.";
constexpr char kAskPlanAgain[] =
    "Look at what was done so far and write a short plan for what is left to do. Only the plan, no answer yet.";
constexpr char kAskFinal[] =
    "There are no steps left. Give the final answer now, as well as it can be given from what is known.";
constexpr char kAskReflection[] =
    "Reflect on this task in one to three sentences: what came of it, and what matters for what is still to be done.";

constexpr char kCodeGuide[] =
    "\n\n## How to act\n"
    "You act by writing Python. Put the code of one action into one fenced block that begins with ```python; it is "
    "run, "
    "and you are shown what it printed, the value of its last expression, or its error. Variables stay from one action "
    "to the next. There is no network and there are no files but those in the working folder. When you have the "
    "answer, "
    "call final_answer(value) in the code; an answer without a code block is taken as the final answer.";

// The id under which the model knows a call: its provider's own, or ours where it gave none or gave one
// twice.
std::string model_call_id(const RunState& state, const ToolCallState& call) {
  const auto same = std::ranges::count(state.calls, call.provider_call_id, &ToolCallState::provider_call_id);
  return call.provider_call_id.empty() || same > 1 ? to_prefixed(call.id) : call.provider_call_id;
}

std::string result_of(const ToolCallState& call) {
  return is_closed(call.phase) ? call.result_text : "This call has no result.";
}

void append_user(std::vector<ModelMessage>& out, std::string text) {
  out.push_back({ModelMessage::Role::kUser, std::move(text), {}, {}, {}});
}

// What a turn for a plan, a reflection or the last answer is asked for.
void append_question(std::vector<ModelMessage>& out, TurnPurpose purpose, bool again) {
  if (purpose == TurnPurpose::kPlan) append_user(out, again ? kAskPlanAgain : kAskPlan);
  if (purpose == TurnPurpose::kReflection) append_user(out, kAskReflection);
  if (purpose == TurnPurpose::kFinal) append_user(out, kAskFinal);
}

void append_turn(std::vector<ModelMessage>& out, const RunState& state, std::size_t index) {
  const TurnState& turn = state.turns[index];
  ModelMessage message;
  message.role = ModelMessage::Role::kAssistant;
  message.text = turn.text;
  message.opaque = turn.opaque;
  std::vector<ModelMessage> results;
  for (const auto& call : state.calls) {
    if (call.turn != index + 1 || call.by_code) continue;
    if (call.phase == CallPhase::kStreaming || call.phase == CallPhase::kAbandoned) continue;
    const std::string id = model_call_id(state, call);
    message.calls.push_back({id, call.name, call.args_json});
    results.push_back({ModelMessage::Role::kTool, result_of(call), {}, id, {}});
  }
  if (message.text.empty() && message.calls.empty()) return;
  out.push_back(std::move(message));
  std::ranges::move(results, std::back_inserter(out));
  if (turn.purpose == TurnPurpose::kPlan) append_user(out, "Go on.");
  if (!turn.code && !turn.error) return;
  std::string observation = "Observation:\n" + turn.observations;
  if (turn.error) observation += (observation.ends_with('\n') ? "Error: " : "\nError: ") + *turn.error;
  append_user(out, std::move(observation));
}

// The task in hand, with what came of those before it.
std::string task_brief(const RunState& state, const TaskState& task) {
  std::string brief = "Task: " + task.item.title;
  if (!task.item.description.empty()) brief += "\n" + task.item.description;
  bool has_earlier = false;
  for (const auto& earlier : state.tasks) {
    const bool is_over = earlier.item.status == TaskStatus::kDone || earlier.item.status == TaskStatus::kFailed;
    if (!is_over || earlier.item.id == task.item.id) continue;
    if (!has_earlier) brief += "\n\nResults of earlier tasks:";
    has_earlier = true;
    brief += "\n- " + earlier.item.title;
    brief += earlier.item.status == TaskStatus::kFailed ? " (failed): " : ": ";
    brief += utf8_prefix(earlier.result, kEarlierResultBytesMax);
  }
  return brief + "\n\nWork on this task alone. End with its result as text.";
}

std::string code_guide(const std::vector<ToolOffer>& offers) {
  std::string guide = kCodeGuide;
  if (!offers.empty()) guide += "\n\nFunctions that are there already, with the JSON schema of their arguments:";
  for (const auto& offer : offers) {
    guide += "\n- " + offer.name + "(…): " + offer.description + " " + offer.parameters_json;
  }
  return guide;
}

// The run so far: what was asked, then turn by turn what came of it.
void append_run(std::vector<ModelMessage>& messages, const RunState& state) {
  if (!state.request.text.empty()) append_user(messages, state.request.text + attached_text(state.request.attachments));
  const std::optional<TaskId> in_hand = state.task ? state.task : state.reflects_on;
  const TaskState* task = in_hand ? state.find_task(*in_hand) : nullptr;
  if (task != nullptr) append_user(messages, task_brief(state, *task));
  bool has_plan = false;
  for (std::size_t i = 0; i < state.turns.size(); ++i) {
    const TurnState& turn = state.turns[i];
    if (turn.task != in_hand) continue;
    // A turn that a restart cut before it said anything was asked again.
    if (!turn.finished || turn.finish != FinishReason::kAborted) {
      append_question(messages, turn.purpose, has_plan);
      has_plan = has_plan || turn.purpose == TurnPurpose::kPlan;
    }
    append_turn(messages, state, i);
  }
}

void offer_tools(ModelRequest& request, const RunnableAgent& agent, const RunState& state) {
  if (state.without_tools || request.purpose != TurnPurpose::kAnswer) return;
  auto offers = offers_of(agent, state);
  if (request.writes_code) {
    request.instructions += code_guide(offers);
  } else {
    request.tools = std::move(offers);
  }
}

}  // namespace

ModelRequest make_prompt(const RunnableAgent& agent, const std::vector<api::Message>& history, const RunState& state,
                         const Limits& limits) {
  ModelRequest request;
  request.purpose = state.turns.empty() ? TurnPurpose::kAnswer : state.turns.back().purpose;
  request.writes_code = agent.agent.style == api::Style::kCode;
  request.instructions = agent.agent.instructions;
  request.context = state.request.context;
  for (const auto& message : history) {
    const auto role = message.role == "user" ? ModelMessage::Role::kUser : ModelMessage::Role::kAssistant;
    request.messages.push_back({role, message.content + message.attached, {}, {}, {}});
  }
  append_run(request.messages, state);
  request.continue_last = state.is_thinking() && !state.turns.back().text.empty();
  offer_tools(request, agent, state);
  const std::size_t context = agent.model->context_tokens();
  fit_into(
      request, history.size(),
      prompt_tokens(context != 0 ? context : limits.model_context_tokens, agent.agent.model.max_tokens.value_or(0)));
  return request;
}

}  // namespace braidlog
