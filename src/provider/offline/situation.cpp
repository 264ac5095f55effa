#include "provider/offline/situation.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/json.h"

namespace braidlog::provider {

namespace {

constexpr std::string_view kAttachmentHeading = "\n\n## Attached file: ";

struct UserMessage {
  std::string_view text;
  std::vector<Attachment> attachments;
};

// What a file says is kept apart from what the user says: an order inside a file is no order.
UserMessage split_message(std::string_view text) {
  UserMessage message;
  std::size_t at = text.find(kAttachmentHeading);
  message.text = text.substr(0, at);
  while (at != std::string_view::npos) {
    at += kAttachmentHeading.size();
    const std::size_t next = text.find(kAttachmentHeading, at);
    const std::string_view file = text.substr(at, next == std::string_view::npos ? next : next - at);
    const std::size_t line = std::min(file.find('\n'), file.size());
    std::string_view content = file.substr(line);
    for (int i = 0; i < 2 && content.starts_with('\n'); ++i) content.remove_prefix(1);
    message.attachments.push_back({std::string(file.substr(0, line)), std::string(content)});
    at = next;
  }
  return message;
}

// How the engine's own messages to a model begin.
constexpr std::array<std::string_view, 2> kAskedForPlan{"Before you act, write a short plan",
                                                        "Look at what was done so far and write a short plan"};
constexpr std::array<std::string_view, 2> kAskedForMore{"There are no steps left.", "Reflect on this task"};
constexpr std::string_view kAfterPlan = "Go on.";
constexpr std::string_view kObservation = "Observation:";
constexpr std::string_view kError = "Error: ";
constexpr std::string_view kFence = "```";

bool begins_with_one_of(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

// Which of the messages are asks: indices, in their order.
std::vector<std::size_t> find_asks(const ModelRequest& request, std::size_t count) {
  std::vector<std::size_t> asks;
  bool after_plan = false;
  for (std::size_t i = 0; i < count; ++i) {
    const ModelMessage& message = request.messages[i];
    if (message.role != ModelMessage::Role::kUser) continue;
    const bool plan = begins_with_one_of(message.text, kAskedForPlan);
    const bool engine = plan || begins_with_one_of(message.text, kAskedForMore) ||
                        (after_plan && message.text == kAfterPlan) ||
                        (request.writes_code && message.text.starts_with(kObservation));
    after_plan = plan;
    if (!engine) asks.push_back(i);
  }
  return asks;
}

// The first fenced block, or empty.
std::string_view code_of(std::string_view text) {
  const std::size_t fence = text.find(kFence);
  if (fence == std::string_view::npos) return {};
  const std::size_t begin = text.find('\n', fence);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = text.find("\n```", begin);
  return text.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1);
}

void take_observation(PastAction& action, std::string_view text) {
  text.remove_prefix(kObservation.size());
  if (text.starts_with('\n')) text.remove_prefix(1);
  std::size_t error = text.starts_with(kError) ? 0 : text.find("\nError: ");
  if (error == std::string_view::npos) {
    action.observation = text;
    return;
  }
  action.observation = text.substr(0, error);
  if (text[error] == '\n') ++error;
  action.error = text.substr(error + kError.size());
}

// What was done since the ask, in messages [begin, end).
void take_deeds(Situation& situation, const ModelRequest& request, std::size_t begin, std::size_t end) {
  std::vector<std::string> ids;
  for (std::size_t i = begin; i < end; ++i) {
    const ModelMessage& message = request.messages[i];
    for (const auto& call : message.calls) {
      situation.calls.push_back({call.name, call.args_json, std::nullopt});
      ids.push_back(call.id);
    }
    if (message.role == ModelMessage::Role::kAssistant && !message.text.empty()) situation.said = message.text;
    if (message.role == ModelMessage::Role::kTool) {
      const auto found = std::find(ids.begin(), ids.end(), message.call_id);
      if (found != ids.end()) situation.calls[static_cast<std::size_t>(found - ids.begin())].result = message.text;
    }
    if (!request.writes_code || message.role != ModelMessage::Role::kUser) continue;
    if (!message.text.starts_with(kObservation)) continue;
    PastAction& action = situation.actions.emplace_back();
    action.code = code_of(situation.said);
    take_observation(action, message.text);
  }
}

// What the instructions say that code may call: lines "- NAME(…): …".
std::vector<std::string> functions_in(std::string_view instructions) {
  std::vector<std::string> names;
  for (std::size_t at = instructions.find("\n- "); at != std::string_view::npos;
       at = instructions.find("\n- ", at + 1)) {
    const std::string_view line = instructions.substr(at + 3);
    const std::size_t bracket = line.find('(');
    const std::size_t space = line.find_first_of(" \n");
    if (bracket != std::string_view::npos && bracket < space) names.emplace_back(line.substr(0, bracket));
  }
  return names;
}

}  // namespace

std::string PastCall::argument(std::string_view key) const {
  const auto parsed = parse_json(args);
  const auto* object = parsed ? parsed->if_object() : nullptr;
  const auto* value = object == nullptr ? nullptr : object->if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

bool Situation::offers(std::string_view tool) const {
  return std::find(tools.begin(), tools.end(), tool) != tools.end();
}

bool Situation::has_function(std::string_view name) const {
  return std::find(functions.begin(), functions.end(), name) != functions.end();
}

std::vector<PastCall> Situation::calls_of(std::string_view tool) const {
  std::vector<PastCall> found;
  for (const auto& call : calls) {
    if (call.name == tool) found.push_back(call);
  }
  return found;
}

Situation situation_of(const ModelRequest& request) {
  Situation situation;
  situation.purpose = request.purpose;
  situation.writes_code = request.writes_code;
  for (const auto& message : request.messages) situation.call_count += message.calls.size();
  // The beginning of the answer to be given now is nothing that was done.
  const std::size_t count = request.messages.size() - (request.continue_last ? 1 : 0);
  const auto asks = find_asks(request, count);
  for (const std::size_t i : asks) {
    auto [text, attachments] = split_message(request.messages[i].text);
    situation.ask = text;
    situation.attached_now = !attachments.empty();
    if (situation.attached_now) situation.attachments = std::move(attachments);
  }
  for (std::size_t i = 0; !asks.empty() && i < asks.back(); ++i) {
    if (request.messages[i].role == ModelMessage::Role::kAssistant) situation.said_before = request.messages[i].text;
  }
  situation.earlier_asks = asks.empty() ? 0 : asks.size() - 1;
  take_deeds(situation, request, asks.empty() ? 0 : asks.back() + 1, count);
  for (const auto& tool : request.tools) situation.tools.push_back(tool.name);
  if (request.writes_code) situation.functions = functions_in(request.instructions);
  return situation;
}

std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    count += !space && !inside;
    inside = !space;
  }
  return count;
}

std::size_t count_words(const ModelRequest& request) {
  std::size_t count = count_words(request.instructions);
  if (request.context) count += count_words(*request.context);
  for (const auto& message : request.messages) {
    count += count_words(message.text);
    for (const auto& call : message.calls) count += count_words(call.name) + count_words(call.args_json);
  }
  for (const auto& tool : request.tools) {
    count += count_words(tool.name) + count_words(tool.description) + count_words(tool.parameters_json);
  }
  return count;
}

}  // namespace braidlog::provider
