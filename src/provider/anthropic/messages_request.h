// What is asked of Anthropic, or of a server that speaks the same: the body of POST {base_url}/v1/messages.
#pragma once

#include <optional>
#include <string>

#include "port/model.h"
#include "provider/opaque_blob.h"

namespace braidlog::provider {

struct MessagesSettings {
  std::string model;
  std::optional<double> temperature;
  unsigned max_tokens = 0;  // of one answer; the server wants to be told
  BlobOwner owner{};
};

// A content block that goes back as it came: a thought with its signature, or one that is not known here.
//   data: {text_before, calls_before, block}     how much of the message's text and how many of its calls stand before
inline constexpr std::string_view kBlockBlob = "block";

// `messages` is its last field.
std::string messages_request(const MessagesSettings& settings, const ModelRequest& request);

// The same request with one more message of the assistant at its end: an answer that paused is asked to go on by being
// shown to its model. `body` is of messages_request().
std::string with_assistant_turn(std::string body, const MessagesSettings& settings, const ModelMessage& message);

}  // namespace braidlog::provider
