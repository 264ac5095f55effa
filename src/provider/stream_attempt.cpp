#include "provider/stream_attempt.h"

#include <utility>

#include "base/json.h"
#include "provider/provider_errors.h"
#include "provider/retry_schedule.h"

namespace braidlog::provider {

namespace {

// After the last event the response is about to end, nearly always with the same bytes. Waiting for that keeps the
// connection for the next call; a server that leaves the response open is not waited for longer than this.
constexpr std::chrono::milliseconds kEndGrace{50};
// After a finish reason: what counts tokens may still come, and some servers neither say that this was all nor close.
constexpr std::chrono::milliseconds kLastWordsGrace{5'000};
// A refusal is read to learn whether tools are the reason, but not for long: a reason that does not come is none.
constexpr std::chrono::milliseconds kRefusalGrace{2'000};
constexpr std::size_t kRefusalBytesMax = 16 * 1024;

using Taken = AnswerReader::Taken;

bool is_event_stream(std::string_view content_type) {
  // Servers that say nothing, or something odd, are read; a page or a document is no stream.
  return !content_type.starts_with("text/html") && !content_type.starts_with("application/json");
}

AttemptFailure plain(std::string message) {
  return {{ErrorCode::kProvider, std::move(message), {}}};
}

// Owned by the call. Callbacks hold it too, since the sink may destroy the call in the middle of one.
class StreamAttempt final : public HttpCallSink, public std::enable_shared_from_this<StreamAttempt> {
 public:
  StreamAttempt(OutgoingRequest request, bool offers_tools, std::unique_ptr<AnswerReader> reader, AttemptSink& sink,
                AttemptPlace place)
      : sink_(sink),
        reader_(std::move(reader)),
        offers_tools_(offers_tools),
        place_(place),
        request_(std::move(request)) {}

  // `body` goes with this request alone; what is needed to ask on stays.
  void begin(std::string body) {
    OutgoingRequest request = request_;
    request.body = std::move(body);
    events_.emplace(place_.line_bytes_max);
    is_answered_ = is_done_ = is_ending_ = false;
    end_timer_.reset();
    http_ = place_.client.send(std::move(request), *this);
  }
  std::string take_body() { return std::exchange(request_.body, {}); }
  void cancel() {
    is_over_ = true;
    reader_->silence();
    end_timer_.reset();
    http_.reset();
  }

 private:
  void on_head(const ResponseHead& head) override {
    if (is_over_) return;
    sink_.on_sign_of_life();
    const int status = head.status();
    if (status < 200 || status > 299) return refuse(status, retry_advice(head, place_.loop.clock().wall()));
    if (!is_event_stream(head.header("content-type"))) {
      return fail_with(plain("The model provider answered with something that is no stream"));
    }
    is_answered_ = true;
  }

  void refuse(int status, RetryAdvice advice) {
    advice_ = advice;
    if (!offers_tools_ || !may_refuse_tools(status)) return fail_as_refused(error_of_status(status));
    refused_status_ = status;
    end_timer_ = place_.loop.after(kRefusalGrace, [this] { finish_refusal(); });
  }
  void finish_refusal() {
    if (!is_over_) fail_as_refused(error_of_tool_request(refused_status_, refusal_));
  }
  void fail_as_refused(Error error) { fail_with({std::move(error), advice_.may_retry, advice_.after}); }

  void on_bytes(std::string_view bytes) override {
    if (is_over_ || is_done_) return;
    sink_.on_sign_of_life();
    if (refused_status_ != 0) {
      refusal_ += bytes.substr(0, kRefusalBytesMax - refusal_.size());
      if (refusal_.size() == kRefusalBytesMax) finish_refusal();
      return;
    }
    const auto self = shared_from_this();
    sink_.on_read_begin();
    const bool sound = events_->feed(
        bytes, [this](const SseView& event) { return take(event); },
        [this](std::string_view& rest) { reader_->take_known(rest); });
    if (!is_over_) reader_->end_read();
    if (is_over_) return;
    sink_.on_read_end();
    if (!sound) return fail_with(plain("The model provider sent an event that is too long"));
    if (!is_done_ && !is_ending_ && reader_->has_reason()) {
      is_ending_ = true;
      end_timer_ = place_.loop.after(kLastWordsGrace, [this] { finish(); });
    }
  }

  // False: nothing after this event is of interest.
  bool take(const SseView& event) {
    auto taken = reader_->take(event);
    if (is_over_) return false;
    if (!taken) {
      reader_->end_read();
      if (!is_over_) fail_with(std::move(taken.error()));
      return false;
    }
    if (*taken == Taken::kUnreadable) fail_with(plain("The model provider sent an event that is no JSON"));
    if (*taken == Taken::kDone) {
      is_done_ = true;
      end_timer_ = place_.loop.after(kEndGrace, [this] { finish(); });
    }
    return *taken == Taken::kMore;
  }

  void on_done(CallEnd end) override {
    if (is_over_) return;
    if (refused_status_ != 0) return finish_refusal();
    if (!is_answered_) return fail_with(failure_of_end(end));
    const auto self = shared_from_this();
    if (!is_done_) take_rest();
    finish();
  }

  // Some servers leave out the blank line after their last event, and with it what ends the answer. A rest that was
  // cut in the middle is nothing. The readers are made for speed and may not miss a last brace, so that is looked at
  // here.
  void take_rest() {
    events_->feed("\n\n", [this](const SseView& event) {
      if (!parse_json(event.data)) return false;
      auto taken = reader_->take(event);
      if (!taken && !is_over_) fail_with(std::move(taken.error()));
      return !is_over_ && taken && *taken == Taken::kMore;
    });
    if (!is_over_) reader_->end_read();
  }

  // A finish reason is what makes an answer whole, not the way in which the connection ended.
  void finish() {
    if (is_over_) return;  // the end of the connection and the timer after the last event may both be due
    const auto self = shared_from_this();
    if (auto body = reader_->next_body()) return begin(std::move(*body));
    auto finish = reader_->finish();
    if (is_over_) return;
    if (!finish) return fail_with(std::move(finish.error()));
    is_over_ = true;
    sink_.on_finished(std::move(*finish));
  }

  // Once: what comes after it is not listened to. The sink may destroy the call in it.
  void fail_with(AttemptFailure failure) {
    is_over_ = true;
    sink_.on_attempt_failed(std::move(failure));
  }

  // What every word needs stands together.
  AttemptSink& sink_;
  std::unique_ptr<AnswerReader> reader_;
  int refused_status_ = 0;    // of a refusal whose body is being read
  bool is_answered_ = false;  // with a stream
  bool is_done_ = false;      // the last event was there
  bool is_ending_ = false;    // the answer is whole; usage may still come
  bool is_over_ = false;      // the sink knows the end, or wants to hear nothing more
  std::optional<SseReader> events_;

  const bool offers_tools_;
  AttemptPlace place_;
  OutgoingRequest request_;  // without its body
  std::unique_ptr<HttpCall> http_;
  Timer end_timer_;
  RetryAdvice advice_;
  std::string refusal_;
};

class StreamCall final : public ModelCall {
 public:
  explicit StreamCall(std::shared_ptr<StreamAttempt> attempt) : attempt_(std::move(attempt)) {}
  ~StreamCall() override { attempt_->cancel(); }

 private:
  std::shared_ptr<StreamAttempt> attempt_;
};

}  // namespace

std::unique_ptr<ModelCall> start_attempt(OutgoingRequest request, bool offers_tools,
                                         std::unique_ptr<AnswerReader> reader, AttemptSink& sink, AttemptPlace place) {
  auto attempt = std::make_shared<StreamAttempt>(std::move(request), offers_tools, std::move(reader), sink, place);
  attempt->begin(attempt->take_body());
  return std::make_unique<StreamCall>(std::move(attempt));
}

}  // namespace braidlog::provider
