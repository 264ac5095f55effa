#include "provider/openai/chat_reader.h"

#include <utility>

#include "provider/provider_errors.h"
#include "provider/repeated_event.h"

namespace braidlog::provider {

namespace {

constexpr std::string_view kDone = "[DONE]";

class ChatReader final : public AnswerReader {
 public:
  ChatReader(ModelSink& sink, ChatAnswer::Settings settings, ChunkParser& parser)
      : answer_(sink, std::move(settings)), parser_(parser) {}

  void silence() override { answer_.silence(); }
  void end_read() override { answer_.end_read(); }
  tl::expected<ModelFinish, AttemptFailure> finish() override { return answer_.finish(); }
  bool has_reason() const override { return answer_.has_reason(); }

  void take_known(std::string_view& bytes) override {
    while (const auto text = last_.take_from(bytes)) {
      if (!text->empty()) answer_.take_text(*text);
    }
  }

  tl::expected<Taken, AttemptFailure> take(const SseView& event) override {
    if (event.data == kDone) return Taken::kDone;
    const bool is_error = event.type == "error";
    if (event.data.empty() && !is_error) return Taken::kMore;
    if (const auto text = is_error ? std::nullopt : last_.text_of(event.data)) {
      if (!text->empty()) answer_.take_text(*text);
      return Taken::kMore;
    }
    const ChatChunk* chunk = parser_.parse(event.data, half_);
    // By its name it is an error, whatever it holds.
    if (is_error) return tl::make_unexpected(failure_in_stream(chunk != nullptr ? chunk->error_status : 0));
    if (chunk == nullptr) return Taken::kUnreadable;
    if (chunk->is_only_text()) last_.remember(event.data, chunk->text_at);
    if (auto taken = answer_.take(*chunk); !taken) return tl::make_unexpected(std::move(taken.error()));
    return Taken::kMore;
  }

 private:
  RepeatedEvent last_;  // that was only text
  ChatAnswer answer_;
  ChunkParser& parser_;
  HalfCharacter half_;
};

}  // namespace

std::unique_ptr<AnswerReader> make_chat_reader(ModelSink& sink, ChatAnswer::Settings settings, ChunkParser& parser) {
  return std::make_unique<ChatReader>(sink, std::move(settings), parser);
}

}  // namespace braidlog::provider
