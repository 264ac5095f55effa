#include "engine/own_tools.h"

#include <algorithm>

#include "base/utf8.h"
#include "event/engine_tools.h"

namespace braidlog {

namespace {

constexpr std::size_t kTitleBytesMax = 300;
constexpr std::size_t kDescriptionBytesMax = 4'000;

ToolOffer offer_set_tasks() {
  return {
      std::string(kSetTasks),
      "Replaces the pending tasks of this session by a new list of 3 to 10 tasks, in the order in which they are to "
      "be done. Tasks that are done or failed stay.",
      R"({"type":"object","properties":{"tasks":{"type":"array","items":{"type":"object","properties":{)"
      R"("title":{"type":"string","description":"A few words"},)"
      R"("description":{"type":"string","description":"What is to be done, in a sentence or two"}},)"
      R"("required":["title"]}}},"required":["tasks"]})"};
}

ToolOffer offer_fail_task() {
  return {std::string(kFailTask), "Says that the task in hand cannot be done, and why. The other tasks go on.",
          R"({"type":"object","properties":{"reason":{"type":"string"}},"required":["reason"]})"};
}

ToolOffer offer_final_answer() {
  return {
      std::string(kFinalAnswer), "Gives the final answer and ends the work.",
      R"({"type":"object","properties":{"answer":{"description":"Text, or any JSON value"}},"required":["answer"]})"};
}

auto bad_arguments(std::string message) {
  return fail(ErrorCode::kToolInvalidArguments, std::move(message));
}

std::string text_at(const json::object& object, std::string_view key, std::size_t bytes_max) {
  const json::value* found = object.if_contains(key);
  if (found == nullptr || !found->is_string()) return {};
  const std::string text(found->get_string());
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  return std::string(utf8_prefix(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1), bytes_max));
}

}  // namespace

std::optional<ToolOffer> listed_own_offer(std::string_view name) {
  return name == kSetTasks ? std::optional(offer_set_tasks()) : std::nullopt;
}

bool is_own_offer(const RunnableAgent& agent, const RunState& state, std::string_view name) {
  const Way way = state.request.way;
  if (name == kSetTasks) return way != Way::kExecute && std::ranges::count(agent.agent.tools, kSetTasks) > 0;
  if (name == kFailTask) return way == Way::kExecute;
  if (name == kFinalAnswer) return way == Way::kSteps && agent.agent.style == api::Style::kTools;
  return false;
}

std::vector<ToolOffer> offers_of(const RunnableAgent& agent, const RunState& state) {
  std::vector<ToolOffer> offers;
  offers.reserve(agent.tools.size() + 1);
  for (const auto& tool : agent.tools) {
    const auto& spec = tool->spec();
    offers.push_back({spec.name, spec.description, spec.parameters_json});
  }
  if (is_own_offer(agent, state, kSetTasks)) offers.push_back(offer_set_tasks());
  if (is_own_offer(agent, state, kFailTask)) offers.push_back(offer_fail_task());
  if (is_own_offer(agent, state, kFinalAnswer)) offers.push_back(offer_final_answer());
  return offers;
}

Result<std::vector<TaskItem>> read_new_tasks(const json::value& args) {
  const json::value* list = args.is_object() ? args.get_object().if_contains("tasks") : nullptr;
  if (list == nullptr || !list->is_array()) return bad_arguments("tasks: a list of tasks is needed");
  std::vector<TaskItem> tasks;
  for (const auto& entry : list->get_array()) {
    TaskItem task;
    if (entry.is_string()) {  // some models leave the descriptions out altogether
      task.title = text_at({{"title", entry}}, "title", kTitleBytesMax);
    } else if (entry.is_object()) {
      task.title = text_at(entry.get_object(), "title", kTitleBytesMax);
      task.description = text_at(entry.get_object(), "description", kDescriptionBytesMax);
    }
    if (task.title.empty()) {
      return bad_arguments("tasks[" + std::to_string(tasks.size()) + "].title: a text is needed");
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::string read_reason(const json::value& args) {
  std::string reason = args.is_object() ? text_at(args.get_object(), "reason", kDescriptionBytesMax) : std::string();
  return reason.empty() ? "The task could not be done" : reason;
}

}  // namespace braidlog
