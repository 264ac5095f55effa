// Arguments for the engine's own tools, right and wrong, as models and their code write them.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "event/engine_tools.h"
#include "world.h"

namespace braidlog::sim {

// Of the right length mostly, or too short or too long; some are no lists at all.
inline json::object new_task_list(World& world) {
  auto& random = world.random;
  const auto dice = random.below(12);
  if (dice == 0) return {{"tasks", "many"}};
  if (dice == 1) return {};
  const auto count = dice == 2 ? random.between(0, 2) : dice == 3 ? random.between(11, 14) : random.between(3, 5);
  json::array tasks;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string title = "task-" + std::to_string(++world.last_task);
    if (random.percent(10)) {
      tasks.emplace_back(title);
    } else {
      tasks.emplace_back(json::object{{"title", title}, {"description", "count to " + title}});
    }
  }
  if (dice == 4 && random.percent(50)) tasks.emplace_back(json::object{{"title", "  "}});
  return {{"tasks", std::move(tasks)}};
}

inline json::value any_answer(World& world) {
  const auto dice = world.random.below(4);
  if (dice == 0) return 42;
  if (dice == 1) return json::object{{"n", 7}};
  return json::value("the answer is " + std::to_string(world.random.below(100)));
}

inline json::object own_arguments(World& world, std::string_view name) {
  if (name == kSetTasks) return new_task_list(world);
  if (name == kFailTask) return {{"reason", "it cannot be done"}};
  return world.random.percent(10) ? json::object{} : json::object{{"answer", any_answer(world)}};
}

}  // namespace braidlog::sim
