#include "provider/offline/task_brief.h"

#include <algorithm>

#include "provider/offline/phrases.h"

namespace braidlog::provider {

namespace {

constexpr std::string_view kTask = "Task: ";
constexpr std::string_view kEarlier = "\n\nResults of earlier tasks:";
constexpr std::string_view kClosing = "\n\nWork on this task alone.";

std::vector<EarlierTask> read_earlier(std::string_view text) {
  std::vector<EarlierTask> tasks;
  for (std::size_t at = text.find("\n- "); at != std::string_view::npos;) {
    const std::size_t next = text.find("\n- ", at + 1);
    const std::string_view line = text.substr(at + 3, next == std::string_view::npos ? next : next - at - 3);
    const std::size_t colon = std::min(line.find(": "), line.size());
    tasks.push_back(
        {std::string(line.substr(0, colon)), std::string(trim(line.substr(std::min(colon + 2, line.size()))))});
    at = next;
  }
  return tasks;
}

}  // namespace

bool TaskBrief::is_hopeless() const {
  return has_phrase(to_lower(title), {"fail", "fails", "failing", "impossible"});
}

std::string TaskBrief::hopeless_reason() const {
  return "\"" + shorten(title, 120) + "\" says itself that it cannot be done";
}

std::optional<TaskBrief> read_task(std::string_view message) {
  if (!message.starts_with(kTask)) return std::nullopt;
  message.remove_prefix(kTask.size());
  message = message.substr(0, message.rfind(kClosing));
  const std::size_t earlier = message.find(kEarlier);
  TaskBrief task;
  if (earlier != std::string_view::npos) task.earlier = read_earlier(message.substr(earlier + kEarlier.size()));
  message = message.substr(0, earlier);
  const std::size_t line = std::min(message.find('\n'), message.size());
  task.title = trim(message.substr(0, line));
  task.description = trim(message.substr(line));
  return task;
}

}  // namespace braidlog::provider
