#include "provider/conversation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/json.h"

namespace braidlog::provider {

namespace {

using Role = ModelMessage::Role;

// Servers differ in what they make of a last message by the assistant: some go on with it, most answer it as a new
// turn, the newer models of Anthropic refuse it. An order in words is understood by all.
constexpr const char* kContinueOrder =
    "Your last message was cut off by a technical fault. Continue it exactly after its last character. Do not repeat "
    "any of it, do not begin anew, and do not mention this.";
constexpr const char* kGoOn = "Go on.";
constexpr const char* kEarlierLeftOut = "(What was said before is left out.)";
constexpr const char* kNoResult = "This call has no result.";
constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kIdBytesMax = 40;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::string plain_word(std::string_view text, std::size_t bytes_max) {
  std::string word(text.substr(0, bytes_max));
  std::replace_if(
      word.begin(), word.end(), [](char c) { return !is_plain(c); }, '_');
  return word;
}

bool is_object(std::string_view text) {
  const auto parsed = parse_json(text);
  return parsed && parsed->is_object();
}

class Builder {
 public:
  Builder(const std::vector<ModelMessage>& messages, CallIds ids)
      : messages_(messages), ids_(ids), is_used_(messages.size(), false) {}

  std::vector<ModelMessage> build() {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i].role == Role::kUser) add_user(messages_[i].text);
      if (messages_[i].role == Role::kAssistant) add_assistant(i);
    }
    return std::move(out_);
  }

 private:
  void add_user(const std::string& text) {
    if (text.empty()) return;
    if (!out_.empty() && out_.back().role == Role::kUser) {
      out_.back().text += "\n\n" + text;
    } else {
      out_.push_back({.role = Role::kUser, .text = text});
    }
  }

  void add_assistant(std::size_t at) {
    const ModelMessage& message = messages_[at];
    if (message.text.empty() && message.calls.empty()) return;
    if (out_.empty()) add_user(kEarlierLeftOut);
    ModelMessage* before = &out_.back();
    // Blobs count the characters of their own message.
    const bool joins = before->role == Role::kAssistant && before->opaque.empty() && message.opaque.empty();
    if (joins) {
      if (!before->text.empty() && !message.text.empty()) before->text += "\n\n";
      before->text += message.text;
    } else {
      before =
          &out_.emplace_back(ModelMessage{.role = Role::kAssistant, .text = message.text, .opaque = message.opaque});
    }
    std::vector<ModelMessage> results;
    for (const auto& call : message.calls) {
      ToolCallMessage valid{own_id(call.id), name_of(call), is_object(call.args_json) ? call.args_json : "{}"};
      results.push_back({.role = Role::kTool, .text = result_of(call.id, at), .call_id = valid.id});
      before->calls.push_back(std::move(valid));
    }
    std::ranges::move(results, std::back_inserter(out_));
  }

  // A model may call by a name that nobody offered and no server takes.
  static std::string name_of(const ToolCallMessage& call) {
    return call.name.empty() ? "unknown" : plain_word(call.name, kNameBytesMax);
  }

  std::string own_id(const std::string& id) {
    std::string wanted = ids_ == CallIds::kStrict ? plain_word(id, kIdBytesMax) : id;
    if (wanted.empty()) wanted = "call";
    std::string own = wanted;
    for (unsigned n = 2; !ids_taken_.insert(own).second; ++n) {
      const std::string mark = "_" + std::to_string(n);
      own = wanted.substr(0, kIdBytesMax - mark.size()) + mark;
    }
    return own;
  }

  // The first result of that id behind the call that is no other call's.
  std::string result_of(const std::string& id, std::size_t call_at) {
    for (std::size_t i = call_at + 1; i < messages_.size(); ++i) {
      if (messages_[i].role != Role::kTool || messages_[i].call_id != id || is_used_[i]) continue;
      is_used_[i] = true;
      return messages_[i].text;
    }
    return kNoResult;
  }

  const std::vector<ModelMessage>& messages_;
  const CallIds ids_;
  std::vector<bool> is_used_;
  std::set<std::string> ids_taken_;
  std::vector<ModelMessage> out_;
};

}  // namespace

std::vector<ModelMessage> valid_conversation(const ModelRequest& request, CallIds ids) {
  auto messages = Builder(request.messages, ids).build();
  const bool needs_word = messages.empty() || messages.back().role == Role::kAssistant;
  const bool goes_on = !messages.empty() && request.continue_last;
  if (needs_word) messages.push_back({.role = Role::kUser, .text = goes_on ? kContinueOrder : kGoOn});
  return messages;
}

std::string system_text(const ModelRequest& request) {
  std::string text = request.instructions;
  if (request.context && !request.context->empty()) {
    if (!text.empty()) text += "\n\n";
    text += "Context of this request:\n" + *request.context;
  }
  return text;
}

std::string_view parameters_of(const ToolOffer& tool) {
  return tool.parameters_json.empty() ? R"({"type":"object","properties":{}})" : std::string_view(tool.parameters_json);
}

}  // namespace braidlog::provider
