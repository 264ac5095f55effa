// A task as the engine gives it to a model: "Task: TITLE", its description, and what came of the tasks before it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braidlog::provider {

struct EarlierTask {
  std::string title;  // with " (failed)" where it did
  std::string result;
};

struct TaskBrief {
  std::string title;
  std::string description;
  std::vector<EarlierTask> earlier;

  // Its title says that it fails or is impossible: a way to see what happens then.
  bool is_hopeless() const;
  std::string hopeless_reason() const;
};

// None: the message is not such a brief.
std::optional<TaskBrief> read_task(std::string_view message);

}  // namespace braidlog::provider
