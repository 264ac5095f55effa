// The rules for turns that have a purpose of their own: a plan, a reflection, the last answer.
#include <algorithm>

#include "provider/offline/computation.h"
#include "provider/offline/manner.h"
#include "provider/offline/phrases.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kAskBytesMax = 100;
constexpr std::size_t kResultBytesMax = 300;

Answer numbered(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += (i == 0 ? "" : "\n") + std::to_string(i + 1) + ". " + lines[i];
  }
  return say(std::move(text));
}

std::string asked(const Situation& situation) {
  return "\"" + shorten(situation.ask, kAskBytesMax) + "\"";
}

// What the last action or call gave, in a few words; empty when nothing was done yet.
std::string last_deed(const Situation& situation) {
  if (!situation.actions.empty()) {
    const PastAction& action = situation.actions.back();
    const std::string_view shown = last_line(action.observation);
    if (action.error) return "the last action failed with " + shorten(last_line(*action.error), kAskBytesMax);
    if (shown.empty()) return "the last action showed nothing";
    return "the last action showed " + shorten(shown, kAskBytesMax);
  }
  if (situation.calls.empty()) return {};
  const PastCall& call = situation.calls.back();
  return call.name + " gave " + (call.result ? shorten(*call.result, kAskBytesMax) : "no result");
}

Answer plan_what_is_left(const Situation& situation, const std::string& done) {
  const std::size_t count = std::max(situation.actions.size(), situation.calls.size());
  return numbered({"Done so far: " + std::to_string(count) + (count == 1 ? " action; " : " actions; ") + done + ".",
                   "Go on with what is missing for " + asked(situation) + ".",
                   "Give the answer as soon as it is known."});
}

Answer plan_code(const Situation& situation, const Computation& computation) {
  const Manner manner = manner_of(situation.ask);
  if (computation.is_given) {
    return numbered({"Run the code as it was given.", "Tell what it printed, or how it failed."});
  }
  if (!manner.step_by_step) {
    return numbered({"Write Python that finds out " + computation.what + ".", "Run it and look at what it prints.",
                     "Answer with that value."});
  }
  std::vector<std::string> lines;
  for (const auto& step : computation.steps) {
    // "I compute 17 * 23." as an order.
    std::string_view line = step.say;
    if (line.starts_with("I ")) line.remove_prefix(2);
    if (lines.size() < 2) lines.push_back(capitalized(line));
  }
  if (computation.steps.size() > 2) lines.push_back("Go on like this, one action for each part.");
  lines.push_back("Give the result with final_answer.");
  return numbered(lines);
}

}  // namespace

Answer make_plan(const Situation& situation) {
  if (const std::string done = last_deed(situation); !done.empty()) return plan_what_is_left(situation, done);
  if (situation.writes_code) {
    if (const auto computation = computation_in(situation)) return plan_code(situation, *computation);
    return numbered({"Read the question: " + asked(situation) + ".",
                     "Answer in words: it is none of the things for which an offline model can write code."});
  }
  return numbered({"Read the question: " + asked(situation) + ".", "Use a tool where one fits, and look at its result.",
                   "Answer from that."});
}

Answer reflect(const Situation& situation) {
  const auto task = read_task(situation.ask);
  const std::string title = "\"" + shorten(task ? task->title : situation.ask, kAskBytesMax) + "\"";
  for (const auto& call : situation.calls) {
    if (call.name != "fail_task") continue;
    return say("The task " + title + " could not be done: " + shorten(call.argument("reason"), kResultBytesMax) +
               ". The tasks after it have to do without its result.");
  }
  std::vector<std::string> used;
  for (const auto& call : situation.calls) {
    if (std::find(used.begin(), used.end(), call.name) == used.end()) used.push_back(call.name);
  }
  std::string text = "The task " + title + " is over";
  text += used.empty() ? ", without a tool. " : ", with the help of " + join_names(used) + ". ";
  return say(text + "What it left is a frame: the facts have to come from people, for an offline model knows none.");
}

Answer conclude(const Situation& situation) {
  if (auto value = best_value(situation)) return say(std::move(*value));
  const std::string done = last_deed(situation);
  if (done.empty()) {
    return say("There are no steps left, and no step gave me anything for " + asked(situation) +
               ". I am Braidlog's built-in offline model and cannot answer it without one.");
  }
  return say("There are no steps left. As far as I came with " + asked(situation) + ", " + done + ".");
}

}  // namespace braidlog::provider
