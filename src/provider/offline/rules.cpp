#include "provider/offline/rules.h"

#include <array>
#include <utility>

#include "provider/offline/phrases.h"

namespace braidlog::provider {

namespace {

// Orders before wishes, and wishes before questions; the knowledge base, which takes any question, and the planner, who
// has one, last.
constexpr std::array<Rule, 16> kRules{
    call_tool,       execute_task, repeat_exactly,   set_tasks,    rename_file, write_files,
    tell_long_story, list_files,   read_file,        alert_admin,  calculate,   quote_attachments,
    tell_time,       tell_status,  search_knowledge, ask_for_goal,
};
constexpr std::array<Rule, 4> kCodeRules{repeat_exactly, tell_long_story, write_code, quote_attachments};

template <std::size_t kCount>
Answer first_fit(const std::array<Rule, kCount>& rules, const Situation& situation) {
  for (const Rule rule : rules) {
    if (auto answer = rule(situation)) return std::move(*answer);
  }
  return introduce_itself(situation);
}

Answer act_by_code(const Situation& situation) {
  const auto task = read_task(situation.ask);
  if (!task) return first_fit(kCodeRules, situation);
  if (auto answer = give_up_in_code(situation)) return std::move(*answer);
  Situation inner = situation;
  inner.ask = task->title;
  if (auto answer = write_code(inner)) return std::move(*answer);
  return say(task_result(*task, situation));
}

Answer answer_purpose(const Situation& situation) {
  switch (situation.purpose) {
    case TurnPurpose::kPlan: return make_plan(situation);
    case TurnPurpose::kReflection: return reflect(situation);
    case TurnPurpose::kFinal: return conclude(situation);
    case TurnPurpose::kAnswer: break;
  }
  return situation.writes_code ? act_by_code(situation) : first_fit(kRules, situation);
}

// What follows a leading "think" or "reason"; the whole text when there is none.
std::string_view without_order_to_think(std::string_view ask) {
  const auto text = trim(ask);
  const auto words = split_words(text.substr(0, 64));
  if (words.empty() || !is_one_of(words[0].lower, {"think", "reason"})) return ask;
  auto rest = text.substr(words[0].end);
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == ':' || rest.front() == ',')) rest.remove_prefix(1);
  return rest.empty() ? ask : rest;
}

std::string reasoning_about(const Situation& situation) {
  std::string text = "The user asks: \"" + shorten(situation.ask, 80) + "\". ";
  const auto& tools = situation.writes_code ? situation.functions : situation.tools;
  text += tools.empty() ? "There are no tools on offer. " : "On offer are " + join_names(tools) + ". ";
  return text + "I take the first of my rules that fits.";
}

}  // namespace

Answer answer_for(const Situation& situation) {
  const std::string_view rest = without_order_to_think(situation.ask);
  if (rest == situation.ask) return answer_purpose(situation);
  Situation inner = situation;
  inner.ask = rest;
  Answer answer = answer_purpose(inner);
  const bool begins = situation.purpose == TurnPurpose::kAnswer && situation.calls.empty() && situation.actions.empty();
  if (begins) answer.pieces.insert(answer.pieces.begin(), Think{reasoning_about(inner)});
  return answer;
}

}  // namespace braidlog::provider
