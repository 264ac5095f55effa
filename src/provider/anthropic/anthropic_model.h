// Models behind the messages of Anthropic, and of servers that speak the same.
#pragma once

#include <memory>
#include <vector>

#include "base/limits.h"
#include "net/http_client.h"
#include "provider/anthropic/anthropic_settings.h"
#include "provider/anthropic/message_event_parser.h"
#include "provider/attempt.h"

namespace braidlog::provider {

// What all these models share: a client and a parser for each loop. Outlives them.
class AnthropicProvider {
 public:
  AnthropicProvider(HttpClients& clients, const Limits& limits);

  std::shared_ptr<Endpoint> make_endpoint(AnthropicSettings settings);

 private:
  class MessagesEndpoint;

  HttpClients& clients_;
  const std::size_t line_bytes_max_;
  std::vector<MessageEventParser> parsers_;  // one per loop, used by it alone
};

}  // namespace braidlog::provider
