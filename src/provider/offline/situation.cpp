#include "provider/offline/situation.h"

#include <algorithm>
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

std::vector<PastCall> Situation::calls_of(std::string_view tool) const {
  std::vector<PastCall> found;
  for (const auto& call : calls) {
    if (call.name == tool) found.push_back(call);
  }
  return found;
}

Situation situation_of(const ModelRequest& request) {
  Situation situation;
  std::size_t since = 0;  // the message after the last user message
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const ModelMessage& message = request.messages[i];
    situation.call_count += message.calls.size();
    if (message.role != ModelMessage::Role::kUser) continue;
    if (since > 0) ++situation.earlier_asks;
    auto [text, attachments] = split_message(message.text);
    situation.ask = text;
    situation.attached_now = !attachments.empty();
    if (situation.attached_now) situation.attachments = std::move(attachments);
    since = i + 1;
  }
  std::vector<std::string> ids;
  for (std::size_t i = since; i < request.messages.size(); ++i) {
    const ModelMessage& message = request.messages[i];
    for (const auto& call : message.calls) {
      situation.calls.push_back({call.name, call.args_json, std::nullopt});
      ids.push_back(call.id);
    }
    if (message.role != ModelMessage::Role::kTool) continue;
    const auto found = std::find(ids.begin(), ids.end(), message.call_id);
    if (found != ids.end()) situation.calls[static_cast<std::size_t>(found - ids.begin())].result = message.text;
  }
  for (const auto& tool : request.tools) situation.tools.push_back(tool.name);
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
