// A goal that somebody tells a planner, and the tasks that lead to it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provider/offline/situation.h"

namespace braidlog::provider {

// What is asked when a goal is vague; also how an answer to it is known.
inline constexpr std::string_view kGoalQuestion = "What do you want to reach";

struct Goal {
  std::string verb;                 // "organize"
  std::string topic;                // "the team offsite in May": what it is about, fit for a sentence
  std::size_t count = 0;            // of tasks, where the user said it
  std::vector<std::string> titles;  // where the user named the tasks: "tasks: A; B; C"
};

struct PlannedTask {
  std::string title, description;
};

// A verb and at least three words about it, or tasks by name. A short answer to our own question counts as well.
// None: the goal is vague, or no goal at all.
std::optional<Goal> read_goal(const Situation& situation);

// Three to five of them, unless the user said how many.
std::vector<PlannedTask> tasks_for(const Goal& goal);

}  // namespace braidlog::provider
