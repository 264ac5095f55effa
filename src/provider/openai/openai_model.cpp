#include "provider/openai/openai_model.h"

#include <utility>

#include "provider/openai/chat_call.h"
#include "provider/openai/chat_request.h"

namespace braidlog::provider {

class OpenAiProvider::ChatModel final : public Model {
 public:
  ChatModel(OpenAiProvider& provider, OpenAiSettings settings)
      : provider_(provider), settings_(std::move(settings)), url_(settings_.base_url + "/chat/completions") {}

  std::string_view provider() const override { return "openai"; }
  std::string_view name() const override { return settings_.chat.model; }

  std::unique_ptr<ModelCall> start(ModelRequest request, ModelSink& sink, Loop& loop) override {
    OutgoingRequest post{.url = url_, .body = chat_request(settings_.chat, request)};
    post.headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream"}};
    if (!settings_.api_key.empty()) post.headers.push_back({"Authorization", "Bearer " + settings_.api_key});
    const ChatPlace place{.client = provider_.clients_.on(loop),
                          .parser = provider_.parsers_[loop.index()],
                          .loop = loop,
                          .line_bytes_max = provider_.line_bytes_max_};
    return start_chat(std::move(post), !request.tools.empty(), sink, place);
  }

 private:
  OpenAiProvider& provider_;
  const OpenAiSettings settings_;
  const std::string url_;
};

OpenAiProvider::OpenAiProvider(HttpClients& clients, const Limits& limits)
    : clients_(clients), line_bytes_max_(limits.model_line_bytes_max), parsers_(clients.count()) {}

std::shared_ptr<Model> OpenAiProvider::make_model(OpenAiSettings settings) {
  return std::make_shared<ChatModel>(*this, std::move(settings));
}

}  // namespace braidlog::provider
