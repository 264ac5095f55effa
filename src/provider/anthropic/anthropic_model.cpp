#include "provider/anthropic/anthropic_model.h"

#include <utility>

#include "provider/anthropic/messages_reader.h"

namespace braidlog::provider {

namespace {

constexpr const char* kVersion = "2023-06-01";

}  // namespace

class AnthropicProvider::MessagesEndpoint final : public Endpoint {
 public:
  MessagesEndpoint(AnthropicProvider& provider, AnthropicSettings settings)
      : provider_(provider), settings_(std::move(settings)), url_(settings_.base_url + "/v1/messages") {}

  std::string_view provider() const override { return "anthropic"; }
  std::string_view name() const override { return settings_.messages.model; }

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, AttemptSink& sink, Loop& loop) override {
    OutgoingRequest post{.url = url_, .body = messages_request(settings_.messages, request)};
    post.headers = {
        {"Content-Type", "application/json"}, {"Accept", "text/event-stream"}, {"anthropic-version", kVersion}};
    if (!settings_.api_key.empty()) post.headers.push_back({"x-api-key", settings_.api_key});
    auto reader = make_messages_reader(sink, settings_.messages, post.body, provider_.parsers_[loop.index()]);
    return start_attempt(std::move(post), !request.tools.empty(), std::move(reader), sink,
                         {provider_.clients_.on(loop), loop, provider_.line_bytes_max_});
  }

 private:
  AnthropicProvider& provider_;
  const AnthropicSettings settings_;
  const std::string url_;
};

AnthropicProvider::AnthropicProvider(HttpClients& clients, const Limits& limits)
    : clients_(clients), line_bytes_max_(limits.model_line_bytes_max), parsers_(clients.count()) {}

std::shared_ptr<Endpoint> AnthropicProvider::make_endpoint(AnthropicSettings settings) {
  return std::make_shared<MessagesEndpoint>(*this, std::move(settings));
}

}  // namespace braidlog::provider
