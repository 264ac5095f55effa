// Plans, code and steps of a run: what may come when, and what it must say.
#include <algorithm>

#include "run_history.h"

namespace braidlog::sim {

namespace {

constexpr std::string_view kNoReflection = "No reflection was written";

}  // namespace

void RunHistory::check_steps(const RunEvent& event) {
  const auto* body = &event.body;
  if (const auto* e = std::get_if<ModelStarted>(body)) check_turn(*e);
  if (const auto* e = std::get_if<PlanMade>(body)) check_plan(*e);
  if (const auto* e = std::get_if<CodeStarted>(body)) check_code(*e);
  if (const auto* e = std::get_if<StepFinished>(body)) check_step(*e);
  if (const auto* e = std::get_if<RunCompleted>(body)) check_message(*e);
  if (const auto* e = std::get_if<TextDelta>(body); e && is_silent(e->turn)) {
    world_.violate(id_, " shows the text of a plan or a reflection");
  }
  if (const auto* e = std::get_if<ReflectionMade>(body);
      e && !world_.coded.is_told(e->text) && !e->text.starts_with(kNoReflection)) {
    world_.violate(id_, " reflects in words that nobody said: ", e->text);
  }
  if (const auto* e = std::get_if<ToolCallStarted>(body); e && e->by_code != state_.code_open) {
    world_.violate(e->call_id, " was made by code that does not run, or by a model that waits for its code");
  }
  // What was begun in the sandbox is a step before anything else happens.
  const bool goes_on = std::holds_alternative<ModelStarted>(*body) || std::holds_alternative<TaskFinished>(*body) ||
                       std::holds_alternative<RunCompleted>(*body);
  if (goes_on && state_.code_open) world_.violate(id_, " goes on, and its code has no step: ", last_names_);
}

bool RunHistory::is_silent(std::uint32_t turn) const {
  if (turn == 0 || turn > state_.turns.size()) return false;
  const TurnPurpose purpose = state_.turns[turn - 1].purpose;
  return purpose == TurnPurpose::kPlan || purpose == TurnPurpose::kReflection;
}

// What each turn is for follows from the agent's file and from what was done so far.
void RunHistory::check_turn(const ModelStarted& event) {
  const api::Agent& agent = agent_named(cast_, state_.begun.agent);
  const auto answers = std::ranges::count_if(state_.turns, [&](const TurnState& turn) {
    return turn.purpose == TurnPurpose::kAnswer && turn.task == state_.task && turn.finish != FinishReason::kAborted;
  });
  const bool used_up = static_cast<std::size_t>(answers) >= agent.max_steps;
  const bool plans = agent.planning_interval > 0 && (!has_plan_ || steps_since_plan_ >= agent.planning_interval);
  TurnPurpose right = TurnPurpose::kAnswer;
  if (state_.reflects_on) {
    right = TurnPurpose::kReflection;
  } else if (state_.request.way == Way::kSteps) {
    right = used_up ? TurnPurpose::kFinal : plans ? TurnPurpose::kPlan : TurnPurpose::kAnswer;
  }
  if (event.purpose != right) world_.violate(id_, " has a turn for something else than it is time for");
  if (event.purpose == TurnPurpose::kAnswer && used_up) world_.violate(id_, " has more turns than its agent may take");
}

void RunHistory::check_plan(const PlanMade& event) {
  if (event.step_number != ++steps_) world_.violate(id_, " has a plan with the number ", event.step_number);
  const bool was_asked = !state_.turns.empty() && state_.turns.back().purpose == TurnPurpose::kPlan;
  if (!was_asked || !state_.turns.back().finished) world_.violate(id_, " has a plan that nobody asked for");
  if (!is_story(event.text)) world_.violate(id_, " plans in words that nobody said: ", event.text);
  has_plan_ = true;
  steps_since_plan_ = 0;
}

void RunHistory::check_code(const CodeStarted& event) {
  if (event.turn != state_.turns.size() || state_.turns.empty()) return world_.violate(id_, " runs code of no turn");
  const TurnState& turn = state_.turns.back();
  if (!turn.finished || turn.purpose != TurnPurpose::kAnswer || turn.code || state_.code_open) {
    world_.violate(id_, " runs code before it is whole, or twice");
  }
  const CodedAnswers::Answer* answer = world_.coded.find(turn.text);
  if (!answer || answer->code != event.code)
    world_.violate(id_, " runs code that its model did not write: ", event.code, " in ", turn.text);
}

void RunHistory::check_step(const StepFinished& event) {
  if (event.step_number != ++steps_) world_.violate(id_, " has a step with the number ", event.step_number);
  ++steps_since_plan_;
  if (event.turn != state_.turns.size() || std::exchange(last_stepped_, event.turn) == event.turn) {
    return world_.violate(id_, " has a step of no turn, or two of one");
  }
  const TurnState& turn = state_.turns.back();
  if (turn.code && event.code_action != turn.code) world_.violate(id_, " has a step with other code than it ran");
  if (!turn.code && event.code_action && !event.error) world_.violate(id_, " claims to have run code");
  const bool has_open = std::ranges::any_of(
      state_.calls, [&](const ToolCallState& call) { return call.turn == event.turn && !is_closed(call.phase); });
  if (has_open) world_.violate(id_, " has a step whose calls are not over");
}

// All text of the run, and what final_answer was given; of an agent that writes code the answer alone.
void RunHistory::check_message(const RunCompleted& event) {
  message_ = event.message_text;
  const bool by_code = agent_named(cast_, state_.begun.agent).style == api::Style::kCode;
  std::string right = by_code && !state_.turns.empty() ? state_.turns.back().text : state_.text;
  if (event.final_json)
    right = by_code || state_.text.empty() ? event.final_text : state_.text + "\n\n" + event.final_text;
  if (state_.request.way == Way::kExecute) right.clear();
  if (event.message_text != right) world_.violate(id_, " leaves a message that it did not say: ", event.message_text);
}

std::string RunHistory::message() const {
  if (message_) return *message_;
  return state_.request.way == Way::kExecute ? std::string() : state_.text;
}

}  // namespace braidlog::sim
