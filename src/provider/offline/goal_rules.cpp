// The rules of a planner: a clear goal becomes a list of tasks, a vague one a question.
#include "base/json.h"
#include "provider/offline/goal.h"
#include "provider/offline/phrases.h"
#include "provider/offline/rules.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kReasonBytesMax = 200;

Answer call_set_tasks(const Goal& goal, const std::string& before) {
  CallTool call{"set_tasks", ""};
  JsonWriter writer(call.args);
  writer.begin_object().key("tasks").begin_array();
  for (const auto& task : tasks_for(goal)) {
    writer.begin_object().key("title").string(task.title).key("description").string(task.description).end_object();
  }
  writer.end_array().end_object();
  return Answer{.pieces = {Say{before}, std::move(call)}};
}

Answer tell_plan(const Goal& goal) {
  const auto tasks = tasks_for(goal);
  std::string text = "The plan for " + goal.topic + " has " + std::to_string(tasks.size()) + " tasks:\n";
  for (std::size_t i = 0; i < tasks.size(); ++i) text += "\n" + std::to_string(i + 1) + ". " + tasks[i].title;
  text += "\n\nI am Braidlog's built-in offline model";
  if (goal.titles.empty()) text += ", so the plan follows a fixed pattern";
  return say(text + ". Start the execution of the plan, or tell me another goal.");
}

}  // namespace

std::optional<Answer> set_tasks(const Situation& situation) {
  const auto goal = read_goal(situation);
  if (!goal) return std::nullopt;
  const auto calls = situation.calls_of("set_tasks");
  if (calls.empty()) {
    if (!situation.offers("set_tasks")) return std::nullopt;
    return call_set_tasks(*goal, "I make a list of tasks for " + goal->topic + ".");
  }
  const std::string result = calls.back().result ? *calls.back().result : "no result came back";
  if (result.starts_with("The list was set")) return tell_plan(*goal);
  // A number of tasks that the user named is worth asking for twice.
  if (calls.size() == 1 && goal->count > 0 && situation.offers("set_tasks")) {
    return call_set_tasks(*goal, "You asked for so many tasks, so I set them once more.");
  }
  return say("I could not set the tasks: " + shorten(result, kReasonBytesMax));
}

std::optional<Answer> ask_for_goal(const Situation& situation) {
  if (!situation.offers("set_tasks")) return std::nullopt;
  return say(
      "I am Braidlog's built-in offline model, and I turn goals into tasks. That was not yet clear enough for me to "
      "plan. " +
      std::string(kGoalQuestion) +
      ", said with a verb and a few words about it, such as \"Plan the launch of our new website\"?");
}

}  // namespace braidlog::provider
