#include "provider/anthropic/messages_reader.h"

#include <utility>

#include "provider/provider_errors.h"
#include "provider/repeated_event.h"

namespace braidlog::provider {

namespace {

constexpr int kPausesMax = 16;

class MessagesReader final : public AnswerReader {
 public:
  MessagesReader(ModelSink& sink, const MessagesSettings& settings, std::string body, MessageEventParser& parser)
      : settings_(settings), body_(std::move(body)), answer_(sink, settings.owner), parser_(parser) {}

  void silence() override { answer_.silence(); }
  void end_read() override { answer_.end_read(); }
  tl::expected<ModelFinish, AttemptFailure> finish() override { return answer_.finish(); }
  bool has_reason() const override { return answer_.has_reason(); }

  tl::expected<Taken, AttemptFailure> take(const SseView& event) override {
    const bool is_error = event.type == "error";
    if (event.data.empty() && !is_error) return Taken::kMore;
    if (const auto text = is_error ? std::nullopt : last_.text_of(event.data)) {
      MessageEvent same;
      same.type = "content_block_delta";
      same.index = last_index_;
      same.text = *text;
      return taken(answer_.take(same));
    }
    const MessageEvent* parsed = parser_.parse(event.data, half_);
    // By its name it is an error, whatever it holds.
    if (is_error) return tl::make_unexpected(failure_in_stream(parsed != nullptr ? parsed->error_status : 0));
    if (parsed == nullptr) return Taken::kUnreadable;
    if (parsed->is_only_text()) {
      last_.remember(event.data, parsed->text_at);
      last_index_ = parsed->index;
    }
    const bool is_last = parsed->type == "message_stop";
    return taken(answer_.take(*parsed), is_last ? Taken::kDone : Taken::kMore);
  }

  std::optional<std::string> next_body() override {
    if (!answer_.is_paused() || pauses_ == kPausesMax) return std::nullopt;
    ++pauses_;
    return with_assistant_turn(body_, settings_, answer_.resume());
  }

 private:
  static tl::expected<Taken, AttemptFailure> taken(Attempted attempted, Taken then = Taken::kMore) {
    if (!attempted) return tl::make_unexpected(std::move(attempted.error()));
    return then;
  }

  const MessagesSettings& settings_;
  const std::string body_;
  MessagesAnswer answer_;
  MessageEventParser& parser_;
  HalfCharacter half_;
  RepeatedEvent last_;  // that was only text
  std::optional<std::uint64_t> last_index_;
  int pauses_ = 0;
};

}  // namespace

std::unique_ptr<AnswerReader> make_messages_reader(ModelSink& sink, const MessagesSettings& settings, std::string body,
                                                   MessageEventParser& parser) {
  return std::make_unique<MessagesReader>(sink, settings, std::move(body), parser);
}

}  // namespace braidlog::provider
