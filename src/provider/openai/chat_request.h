// What is asked of an OpenAI-compatible server: the body of POST {base_url}/chat/completions.
#pragma once

#include <optional>
#include <string>

#include "port/model.h"
#include "provider/opaque_blob.h"

namespace braidlog::provider {

struct ChatSettings {
  std::string model;
  std::optional<double> temperature;
  std::optional<unsigned> max_tokens;
  // OpenAI's own server. Its name for the limit is max_completion_tokens, and its newer models refuse the old one,
  // while everybody else knows max_tokens; and it wants ids of calls to be short and plain.
  bool is_openai = false;
  // The server wants its reasoning back with the tool calls that it led to.
  bool returns_reasoning = false;
  BlobOwner owner{};
};

// Kinds of blobs that a chat answer leaves and this sends back.
inline constexpr std::string_view kReasoningBlob = "reasoning";                 // data: {field, text}
inline constexpr std::string_view kReasoningDetailsBlob = "reasoning_details";  // data: {details}
inline constexpr std::string_view kCallExtraBlob = "call_extra";                // data: {call, position, extra_content}

std::string chat_request(const ChatSettings& settings, const ModelRequest& request);

}  // namespace braidlog::provider
