#include "provider/openai/chat_request.h"

#include "base/json.h"

namespace braidlog::provider {

namespace {

// Servers differ in what they make of a last message by the assistant: some go on with it, most answer it as a new
// turn, some refuse it. An order in words is understood by all.
constexpr std::string_view kContinueOrder =
    "Your last message was cut off by a technical fault. Continue it exactly after its last character. Do not repeat "
    "any of it, do not begin anew, and do not mention this.";

// One system message: templates of many models take no second one.
std::string system_text(const ModelRequest& request) {
  std::string text = request.instructions;
  if (request.context && !request.context->empty()) {
    if (!text.empty()) text += "\n\n";
    text += "Context of this request:\n" + *request.context;
  }
  return text;
}

void write_text_message(JsonWriter& out, std::string_view role, std::string_view text) {
  out.begin_object().key("role").string(role).key("content").string(text).end_object();
}

void write_calls(JsonWriter& out, const std::vector<ToolCallMessage>& calls) {
  out.key("tool_calls").begin_array();
  for (const auto& call : calls) {
    out.begin_object().key("id").string(call.id).key("type").string("function");
    out.key("function").begin_object().key("name").string(call.name);
    out.key("arguments").string(call.args_json).end_object().end_object();
  }
  out.end_array();
}

void write_message(JsonWriter& out, const ModelMessage& message) {
  switch (message.role) {
    case ModelMessage::Role::kUser: return write_text_message(out, "user", message.text);
    case ModelMessage::Role::kTool:
      out.begin_object().key("role").string("tool").key("tool_call_id").string(message.call_id);
      out.key("content").string(message.text).end_object();
      return;
    case ModelMessage::Role::kAssistant:
      if (message.calls.empty()) return write_text_message(out, "assistant", message.text);
      out.begin_object().key("role").string("assistant").key("content");
      message.text.empty() ? out.null() : out.string(message.text);
      write_calls(out, message.calls);
      out.end_object();
      return;
  }
}

void write_tools(JsonWriter& out, const std::vector<ToolOffer>& tools) {
  out.key("tools").begin_array();
  for (const auto& tool : tools) {
    out.begin_object().key("type").string("function").key("function").begin_object();
    out.key("name").string(tool.name).key("description").string(tool.description);
    out.key("parameters").raw(tool.parameters_json).end_object().end_object();
  }
  out.end_array();
}

}  // namespace

std::string chat_request(const ChatSettings& settings, const ModelRequest& request) {
  std::string body;
  JsonWriter out(body);
  out.begin_object().key("model").string(settings.model).key("messages").begin_array();
  if (const auto system = system_text(request); !system.empty()) write_text_message(out, "system", system);
  for (const auto& message : request.messages) write_message(out, message);
  if (request.continue_last) write_text_message(out, "user", kContinueOrder);
  out.end_array();
  if (!request.tools.empty()) write_tools(out, request.tools);
  if (settings.temperature) out.key("temperature").number(*settings.temperature);
  if (settings.max_tokens) {
    out.key(settings.says_max_completion_tokens ? "max_completion_tokens" : "max_tokens").number(*settings.max_tokens);
  }
  out.key("stream").boolean(true);
  out.key("stream_options").begin_object().key("include_usage").boolean(true).end_object();
  out.end_object();
  return body;
}

}  // namespace braidlog::provider
