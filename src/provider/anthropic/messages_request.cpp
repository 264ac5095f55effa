#include "provider/anthropic/messages_request.h"

#include <algorithm>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "provider/conversation.h"

namespace braidlog::provider {

namespace {

using Role = ModelMessage::Role;

constexpr double kTemperatureMax = 1.0;
constexpr std::string_view kBodyEnd = "]}";

// Messages of blocks: neighbours of one role become one message.
class MessagesWriter {
 public:
  MessagesWriter(JsonWriter& out, const BlobOwner& owner) : out_(out), owner_(owner) {}

  void write(const ModelMessage& message) {
    switch (message.role) {
      case Role::kUser: return write_text("user", message.text);
      case Role::kTool: return write_result(message);
      case Role::kAssistant: return write_answer(message);
    }
  }
  void end() {
    if (!role_.empty()) out_.end_array().end_object();
    role_ = {};
  }

 private:
  void speak_as(std::string_view role) {
    if (role == role_) return;
    end();
    role_ = role;
    out_.begin_object().key("role").string(role).key("content").begin_array();
  }

  // Blocks of text without text are refused.
  void write_text(std::string_view role, std::string_view text) {
    if (is_blank(text)) return;
    speak_as(role);
    out_.begin_object().key("type").string("text").key("text").string(text).end_object();
  }

  void write_result(const ModelMessage& message) {
    speak_as("user");
    out_.begin_object().key("type").string("tool_result").key("tool_use_id").string(message.call_id);
    if (!is_blank(message.text)) out_.key("content").string(message.text);
    out_.end_object();
  }

  void write_call(const ToolCallMessage& call) {
    speak_as("assistant");
    out_.begin_object().key("type").string("tool_use").key("id").string(call.id).key("name").string(call.name);
    out_.key("input").raw(call.args_json).end_object();
  }

  // Text and calls with the blocks of the provider's own at the places where they stood.
  void write_answer(const ModelMessage& message) {
    std::string_view text = message.text;
    std::size_t text_written = 0, calls_written = 0;
    const auto write_until = [&](std::size_t text_end, std::size_t calls_end) {
      if (text_end > text_written) {
        const auto piece = utf8_prefix(text, text_end - text_written);
        write_text("assistant", piece);
        text.remove_prefix(piece.size());
        text_written += piece.size();
      }
      while (calls_written < std::min(calls_end, message.calls.size())) write_call(message.calls[calls_written++]);
    };
    for (const auto& blob : blobs_of(owner_, message.opaque)) {
      const auto* block = blob.data.if_contains("block");
      if (blob.kind != kBlockBlob || block == nullptr) continue;
      write_until(count_in(blob.data, "text_before"), count_in(blob.data, "calls_before"));
      speak_as("assistant");
      out_.raw(to_json(*block));
    }
    write_until(message.text.size(), message.calls.size());
  }

  JsonWriter& out_;
  const BlobOwner& owner_;
  std::string_view role_;  // of the message that is open
};

void write_tools(JsonWriter& out, const std::vector<ToolOffer>& tools) {
  out.key("tools").begin_array();
  for (const auto& tool : tools) {
    out.begin_object().key("name").string(tool.name).key("description").string(tool.description);
    out.key("input_schema").raw(parameters_of(tool)).end_object();
  }
  out.end_array();
}

// What was called before. Some servers refuse a history with calls where no tools are named.
std::vector<ToolOffer> called_before(const ModelRequest& request) {
  std::vector<ToolOffer> tools;
  for (const auto& message : request.messages) {
    for (const auto& call : message.calls) {
      const bool is_known = std::ranges::count(tools, call.name, &ToolOffer::name) > 0;
      if (!is_known) tools.push_back({call.name, "Not available now.", R"({"type":"object"})"});
    }
  }
  return tools;
}

}  // namespace

std::string messages_request(const MessagesSettings& settings, const ModelRequest& request) {
  std::string body;
  JsonWriter out(body);
  out.begin_object().key("model").string(settings.model).key("max_tokens").number(settings.max_tokens);
  out.key("stream").boolean(true);
  // Others count to 2; more than 1 is refused here.
  if (settings.temperature) out.key("temperature").number(std::min(*settings.temperature, kTemperatureMax));
  if (const auto system = system_text(request); !is_blank(system)) out.key("system").string(system);
  if (!request.tools.empty()) {
    write_tools(out, request.tools);
  } else if (const auto tools = called_before(request); !tools.empty()) {
    write_tools(out, tools);
    out.key("tool_choice").raw(R"({"type":"none"})");
  }
  out.key("messages").begin_array();
  MessagesWriter messages(out, settings.owner);
  for (const auto& message : valid_conversation(request, CallIds::kStrict)) messages.write(message);
  messages.end();
  out.end_array().end_object();
  return body;
}

std::string with_assistant_turn(std::string body, const MessagesSettings& settings, const ModelMessage& message) {
  BRAIDLOG_CHECK(body.ends_with(kBodyEnd));
  std::string turn;
  JsonWriter out(turn);
  MessagesWriter messages(out, settings.owner);
  messages.write(message);
  messages.end();
  if (turn.empty()) return body;
  body.insert(body.size() - kBodyEnd.size(), "," + turn);
  return body;
}

}  // namespace braidlog::provider
