// The rule of a model that acts by writing code: it writes, looks at what came of it, and answers from that alone.
//
// One action computes and prints, the next turn says the answer. "Step by step" and "in N steps" make several actions,
// of which the last calls final_answer(). What fails is written once more where that can help, and else explained.
#include <algorithm>

#include "provider/offline/computation.h"
#include "provider/offline/manner.h"
#include "provider/offline/phrases.h"
#include "provider/offline/rules.h"
#include "provider/offline/task_brief.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kActionsMax = 30;
constexpr std::size_t kValueBytesMax = 2'000;
constexpr std::size_t kReasonBytesMax = 300;

struct Action {
  std::string say, code;
};

Answer act(const Action& action) {
  return say(action.say + "\n\n```python\n" + action.code + "\n```");
}

std::string shown(const CodeStep& step) {
  return step.shows.empty() ? step.code : step.code + "\nprint(" + step.shows + ")";
}

// Several actions, as many as are wanted: the last parts together, or checks behind them.
std::vector<Action> several_actions(const Computation& computation, std::size_t wanted) {
  std::vector<CodeStep> steps = computation.steps;
  wanted = std::min(wanted, kActionsMax);
  const std::size_t least = wanted > 0 ? wanted : 2;
  while (wanted > 0 && steps.size() > wanted && steps.size() > 1) {
    CodeStep last = std::move(steps.back());
    steps.pop_back();
    steps.back() = {std::move(last.say), steps.back().code + "\n" + last.code, std::move(last.shows)};
  }
  for (std::size_t check = 1; steps.size() < least && !computation.again.empty(); ++check) {
    steps.push_back({"I check the result" + std::string(check == 1 ? "." : " once more."),
                     "check = " + computation.again, "check == result"});
  }
  std::vector<Action> actions;
  for (const auto& step : steps) actions.push_back({step.say, shown(step)});
  actions.back().code += "\nfinal_answer(result)";
  return actions;
}

std::vector<Action> actions_for(const Computation& computation, const Manner& manner) {
  if (computation.is_given) {
    std::vector<Action> actions;
    for (const auto& step : computation.steps) actions.push_back({step.say, step.code});
    return actions;
  }
  if (manner.step_by_step) return several_actions(computation, manner.steps);
  std::string code = whole_program(computation);
  if (manner.errs_first && code.ends_with("print(result)")) code.replace(code.size() - 7, 6, "resutl");
  return {{"I write Python for " + computation.what + ".", std::move(code)}};
}

// ---- what went wrong ----

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool is_digit_limit(std::string_view error) {
  return has(error, "Exceeds the limit");
}

// Another attempt may help: names are missing after a restart, or something odd happened. A wrong question stays wrong,
// and a limit stays where it is.
bool is_worth_another_try(const Computation& computation, std::string_view error) {
  if (computation.is_given) return false;
  if (is_digit_limit(error)) return true;
  if (has(error, "ToolError")) return !computation.fallback.empty();
  return !has(error, "ZeroDivisionError") && !has(error, "ValueError") && !has(error, "OverflowError") &&
         !has(error, "SyntaxError") && !has(error, " limit");
}

// The error as a sentence.
std::string reason_in(std::string_view error) {
  const std::string reason = shorten(last_line(error), kReasonBytesMax);
  return reason.ends_with('.') ? reason : reason + ".";
}

Answer try_again(const Computation& computation, std::string_view error) {
  const std::string why = reason_in(error);
  if (has(error, "ToolError")) {
    return act({"That did not work: " + why + " I look what there is instead.", computation.fallback});
  }
  std::string code = whole_program(computation);
  if (is_digit_limit(error)) code.insert(0, "import sys\nsys.set_int_max_str_digits(0)\n");
  return act({"That did not work: " + why + " I write it again from the beginning, corrected.", std::move(code)});
}

Answer explain_failure(const Computation& computation, std::string_view error, std::size_t failures) {
  std::string text = computation.is_given ? "Your code failed: " : "I could not find out " + computation.what + ": ";
  text += reason_in(error);
  if (has(error, "ZeroDivisionError")) text += " A number divided by zero has no value, so there is no result to give.";
  if (has(error, " limit of ")) text += " That is a limit of the sandbox.";
  if (failures > 1) text += " I tried " + std::to_string(failures) + " times and stop here.";
  return say(std::move(text));
}

// ---- what came of it ----

Answer report(const Computation& computation, const Situation& situation) {
  const std::string& observation = situation.actions.back().observation;
  const bool is_empty = trim(observation).empty();
  const bool fell_back = std::any_of(situation.actions.begin(), situation.actions.end(), [](const PastAction& action) {
    return action.error && has(*action.error, "ToolError");
  });
  if (fell_back) {
    const std::string text = "I could not find out " + computation.what;
    return say(is_empty ? text + ", and there are no files at all."
                        : text + ". These are the files that there are:\n\n" + quote(observation));
  }
  if (is_empty) {
    return say(computation.is_given ? "Your code ran to its end and showed nothing." : "The code showed no result.");
  }
  if (computation.quotes) return say(computation.lead + quote(observation));
  return say(computation.lead + shorten(last_line(observation), kValueBytesMax) + computation.tail);
}

std::size_t count_failures(const Situation& situation) {
  return static_cast<std::size_t>(std::count_if(situation.actions.begin(), situation.actions.end(),
                                                [](const PastAction& action) { return action.error.has_value(); }));
}

}  // namespace

std::optional<Answer> write_code(const Situation& situation) {
  const auto computation = computation_in(situation);
  if (!computation) return std::nullopt;
  const std::size_t failures = count_failures(situation);
  if (!situation.actions.empty() && situation.actions.back().error) {
    const std::string& error = *situation.actions.back().error;
    if (failures == 1 && is_worth_another_try(*computation, error)) return try_again(*computation, error);
    return explain_failure(*computation, error, failures);
  }
  if (failures > 0) return report(*computation, situation);
  const auto actions = actions_for(*computation, manner_of(situation.ask));
  if (situation.actions.size() < actions.size()) return act(actions[situation.actions.size()]);
  return report(*computation, situation);
}

std::optional<Answer> give_up_in_code(const Situation& situation) {
  const auto task = read_task(situation.ask);
  if (!task || !situation.has_function("fail_task") || !situation.actions.empty()) return std::nullopt;
  if (!task->is_hopeless()) return std::nullopt;
  return act({"This task cannot be done.", "fail_task(reason=" + python_string(task->hopeless_reason()) + ")"});
}

std::optional<std::string> best_value(const Situation& situation) {
  for (auto action = situation.actions.rbegin(); action != situation.actions.rend(); ++action) {
    if (action->error || !has(action->code, "print(result)")) continue;
    const auto computation = computation_in(situation);
    if (!computation || computation->is_given) return std::nullopt;
    return computation->lead + shorten(last_line(action->observation), kValueBytesMax) + computation->tail;
  }
  return std::nullopt;
}

}  // namespace braidlog::provider
