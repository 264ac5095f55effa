#include "provider/openai/chat_request.h"

#include "base/json.h"
#include "provider/conversation.h"

namespace braidlog::provider {

namespace {

void write_text_message(JsonWriter& out, std::string_view role, std::string_view text) {
  out.begin_object().key("role").string(role).key("content").string(text).end_object();
}

// What the provider said about the call besides it. By its id, and by its place where the id is not the provider's.
const json::value* extra_of(const std::vector<Blob>& blobs, const ToolCallMessage& call, std::size_t position) {
  const json::value* by_position = nullptr;
  for (const auto& blob : blobs) {
    if (blob.kind != kCallExtraBlob) continue;
    const auto* extra = blob.data.if_contains("extra_content");
    const auto id = string_in(blob.data, "call");
    if (!id.empty() && id == call.id) return extra;
    if (count_in(blob.data, "position") == position) by_position = extra;
  }
  return by_position;
}

void write_calls(JsonWriter& out, const std::vector<ToolCallMessage>& calls, const std::vector<Blob>& blobs) {
  out.key("tool_calls").begin_array();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    out.begin_object().key("id").string(calls[i].id).key("type").string("function");
    out.key("function").begin_object().key("name").string(calls[i].name);
    out.key("arguments").string(calls[i].args_json).end_object();
    if (const auto* extra = extra_of(blobs, calls[i], i)) out.key("extra_content").raw(to_json(*extra));
    out.end_object();
  }
  out.end_array();
}

void write_reasoning(JsonWriter& out, const std::vector<Blob>& blobs) {
  for (const auto& blob : blobs) {
    if (blob.kind == kReasoningBlob) out.key(string_in(blob.data, "field")).string(string_in(blob.data, "text"));
    if (blob.kind != kReasoningDetailsBlob) continue;
    if (const auto* details = blob.data.if_contains("details")) out.key(kReasoningDetailsBlob).raw(to_json(*details));
  }
}

void write_message(JsonWriter& out, const ModelMessage& message, const ChatSettings& settings) {
  switch (message.role) {
    case ModelMessage::Role::kUser: return write_text_message(out, "user", message.text);
    case ModelMessage::Role::kTool:
      out.begin_object().key("role").string("tool").key("tool_call_id").string(message.call_id);
      out.key("content").string(message.text).end_object();
      return;
    case ModelMessage::Role::kAssistant:
      // Thoughts go back within a loop of tool calls; elsewhere servers ignore or refuse them.
      if (message.calls.empty()) return write_text_message(out, "assistant", message.text);
      const auto blobs = blobs_of(settings.owner, message.opaque);
      out.begin_object().key("role").string("assistant").key("content");
      message.text.empty() ? out.null() : out.string(message.text);
      write_reasoning(out, blobs);
      write_calls(out, message.calls, blobs);
      out.end_object();
      return;
  }
}

void write_tools(JsonWriter& out, const std::vector<ToolOffer>& tools) {
  out.key("tools").begin_array();
  for (const auto& tool : tools) {
    out.begin_object().key("type").string("function").key("function").begin_object();
    out.key("name").string(tool.name).key("description").string(tool.description);
    out.key("parameters").raw(parameters_of(tool)).end_object().end_object();
  }
  out.end_array();
}

// About as long as it will be: a text with many escapes is longer.
std::size_t expected_bytes(const ModelRequest& request) {
  constexpr std::size_t kAround = 64;
  std::size_t bytes = 4 * kAround + request.instructions.size();
  for (const auto& message : request.messages) bytes += kAround + message.text.size();
  for (const auto& tool : request.tools) bytes += 2 * kAround + tool.description.size() + tool.parameters_json.size();
  return bytes;
}

}  // namespace

std::string chat_request(const ChatSettings& settings, const ModelRequest& request) {
  std::string body;
  body.reserve(expected_bytes(request));
  JsonWriter out(body);
  out.begin_object().key("model").string(settings.model).key("messages").begin_array();
  if (const auto system = system_text(request); !system.empty()) write_text_message(out, "system", system);
  const auto ids = settings.is_openai ? CallIds::kStrict : CallIds::kAsTheyAre;
  for (const auto& message : valid_conversation(request, ids)) write_message(out, message, settings);
  out.end_array();
  if (!request.tools.empty()) write_tools(out, request.tools);
  if (settings.temperature) out.key("temperature").number(*settings.temperature);
  if (settings.max_tokens) {
    out.key(settings.is_openai ? "max_completion_tokens" : "max_tokens").number(*settings.max_tokens);
  }
  out.key("stream").boolean(true);
  out.key("stream_options").begin_object().key("include_usage").boolean(true).end_object();
  out.end_object();
  return body;
}

}  // namespace braidlog::provider
