// What is asked of an OpenAI-compatible server: the body of POST {base_url}/chat/completions.
#pragma once

#include <optional>
#include <string>

#include "port/model.h"

namespace braidlog::provider {

struct ChatSettings {
  std::string model;
  std::optional<double> temperature;
  std::optional<unsigned> max_tokens;
  // OpenAI's own name for it is max_completion_tokens, and its newer models refuse the old one; everybody else knows
  // max_tokens.
  bool says_max_completion_tokens = false;
};

std::string chat_request(const ChatSettings& settings, const ModelRequest& request);

}  // namespace braidlog::provider
