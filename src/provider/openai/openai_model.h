// Models behind the chat completions of OpenAI and of the many servers that speak the same (vLLM, Ollama, llama.cpp,
// LiteLLM, OpenRouter).
#pragma once

#include <memory>
#include <vector>

#include "base/limits.h"
#include "net/http_client.h"
#include "provider/attempt.h"
#include "provider/openai/chunk_parser.h"
#include "provider/openai/openai_settings.h"

namespace braidlog::provider {

// What all these models share: a client and a parser for each loop. Outlives them.
class OpenAiProvider {
 public:
  OpenAiProvider(HttpClients& clients, const Limits& limits);

  std::shared_ptr<Endpoint> make_endpoint(OpenAiSettings settings);

 private:
  class ChatEndpoint;

  HttpClients& clients_;
  const std::size_t line_bytes_max_;
  std::vector<ChunkParser> parsers_;  // one per loop, used by it alone
};

}  // namespace braidlog::provider
