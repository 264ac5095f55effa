#include "provider/openai/openai_model.h"

#include <utility>

#include "provider/openai/chat_reader.h"
#include "provider/openai/chat_request.h"

namespace braidlog::provider {

class OpenAiProvider::ChatEndpoint final : public Endpoint {
 public:
  ChatEndpoint(OpenAiProvider& provider, OpenAiSettings settings)
      : provider_(provider), settings_(std::move(settings)), url_(settings_.base_url + "/chat/completions") {}

  std::string_view provider() const override { return "openai"; }
  std::string_view name() const override { return settings_.chat.model; }

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, AttemptSink& sink, Loop& loop) override {
    OutgoingRequest post{.url = url_, .body = chat_request(settings_.chat, request)};
    post.headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream"}};
    if (!settings_.api_key.empty()) post.headers.push_back({"Authorization", "Bearer " + settings_.api_key});
    auto reader = make_chat_reader(sink, {settings_.chat.owner, settings_.chat.returns_reasoning},
                                   provider_.parsers_[loop.index()]);
    return start_attempt(std::move(post), !request.tools.empty(), std::move(reader), sink,
                         {provider_.clients_.on(loop), loop, provider_.line_bytes_max_});
  }

 private:
  OpenAiProvider& provider_;
  const OpenAiSettings settings_;
  const std::string url_;
};

OpenAiProvider::OpenAiProvider(HttpClients& clients, const Limits& limits)
    : clients_(clients), line_bytes_max_(limits.model_line_bytes_max), parsers_(clients.count()) {}

std::shared_ptr<Endpoint> OpenAiProvider::make_endpoint(OpenAiSettings settings) {
  return std::make_shared<ChatEndpoint>(*this, std::move(settings));
}

}  // namespace braidlog::provider
