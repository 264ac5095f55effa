#include "provider/openai/chat_call.h"

#include <string>
#include <utility>

#include "provider/openai/chat_answer.h"
#include "provider/openai/provider_errors.h"
#include "wire/sse.h"

namespace braidlog::provider {

namespace {

constexpr std::string_view kDone = "[DONE]";
// After [DONE] the response is about to end, nearly always with the same bytes. Waiting for that keeps the connection
// for the next call; a server that leaves the response open is not waited for longer than this.
constexpr std::chrono::milliseconds kEndGrace{50};
// A refusal is read to learn whether tools are the reason, but not for long: a reason that does not come is none.
constexpr std::chrono::milliseconds kRefusalGrace{2'000};
constexpr std::size_t kRefusalBytesMax = 16 * 1024;

bool is_event_stream(std::string_view content_type) {
  // Servers that say nothing, or something odd, are read; a page or a document is no stream.
  return !content_type.starts_with("text/html") && !content_type.starts_with("application/json");
}

// Owned by the call. Callbacks hold it too, since the sink may destroy the call in the middle of one.
class ChatStream final : public HttpCallSink, public std::enable_shared_from_this<ChatStream> {
 public:
  ChatStream(bool offers_tools, ModelSink& sink, ChatPlace place)
      : offers_tools_(offers_tools), sink_(sink), place_(place), reader_(place_.line_bytes_max), answer_(sink) {}

  void begin(OutgoingRequest request) { http_ = place_.client.send(std::move(request), *this); }
  void cancel() {
    is_over_ = true;
    answer_.silence();
    end_timer_.reset();
    http_.reset();
  }

 private:
  void on_head(const ResponseHead& head) override {
    if (is_over_) return;
    const int status = head.status();
    if (status < 200 || status > 299) return refuse(status);
    if (!is_event_stream(head.header("content-type"))) {
      return fail_with({ErrorCode::kProvider, "The model provider answered with something that is no stream", {}});
    }
    is_answered_ = true;
  }

  void refuse(int status) {
    if (!offers_tools_ || !may_refuse_tools(status)) return fail_with(error_of_status(status));
    refused_status_ = status;
    end_timer_ = place_.loop.after(kRefusalGrace, [this] { finish_refusal(); });
  }
  void finish_refusal() {
    if (!is_over_) fail_with(error_of_tool_request(refused_status_, refusal_));
  }

  void on_bytes(std::string_view bytes) override {
    if (is_over_ || is_done_) return;
    if (refused_status_ != 0) {
      refusal_ += bytes.substr(0, kRefusalBytesMax - refusal_.size());
      if (refusal_.size() == kRefusalBytesMax) finish_refusal();
      return;
    }
    const auto self = shared_from_this();
    const bool sound = reader_.feed(bytes, [this](const SseView& event) { return take(event); });
    if (!sound) fail_with({ErrorCode::kProvider, "The model provider sent an event that is too long", {}});
  }

  // False: nothing after this event is of interest.
  bool take(const SseView& event) {
    if (event.data == kDone) {
      is_done_ = true;
      end_timer_ = place_.loop.after(kEndGrace, [this] { finish(); });
      return false;
    }
    if (event.type == "error") {
      fail_with({ErrorCode::kProvider, "The model provider reported an error in mid-answer", {}});
      return false;
    }
    if (event.data.empty()) return true;
    const ChatChunk* chunk = place_.parser.parse(event.data);
    if (chunk == nullptr) {
      fail_with({ErrorCode::kProvider, "The model provider sent an event that is no JSON", {}});
    } else if (auto taken = answer_.take(*chunk); !taken && !is_over_) {
      fail_with(std::move(taken.error()));
    }
    return !is_over_;
  }

  void on_done(CallEnd end) override {
    if (is_over_) return;
    if (refused_status_ != 0) return finish_refusal();
    if (!is_answered_) return fail_with(error_of_end(end));
    finish();
  }

  // A finish reason is what makes an answer whole, not the way in which the connection ended.
  void finish() {
    if (is_over_) return;  // the end of the connection and the timer after [DONE] may both be due
    auto finish = answer_.finish();
    if (!finish) return fail_with(std::move(finish.error()));
    is_over_ = true;
    sink_.on_finished(std::move(*finish));
  }

  // Once: what comes after it is not listened to. The sink may destroy the call in it.
  void fail_with(Error error) {
    is_over_ = true;
    sink_.on_failed(std::move(error));
  }

  const bool offers_tools_;
  ModelSink& sink_;
  ChatPlace place_;
  SseReader reader_;
  ChatAnswer answer_;
  std::unique_ptr<HttpCall> http_;
  Timer end_timer_;
  int refused_status_ = 0;  // of a refusal whose body is being read
  std::string refusal_;
  bool is_answered_ = false;  // with a stream
  bool is_done_ = false;      // [DONE] was there
  bool is_over_ = false;      // the sink knows the end, or wants to hear nothing more
};

class ChatCall final : public ModelCall {
 public:
  explicit ChatCall(std::shared_ptr<ChatStream> stream) : stream_(std::move(stream)) {}
  ~ChatCall() override { stream_->cancel(); }

 private:
  std::shared_ptr<ChatStream> stream_;
};

}  // namespace

std::unique_ptr<ModelCall> start_chat(OutgoingRequest request, bool offers_tools, ModelSink& sink, ChatPlace place) {
  auto stream = std::make_shared<ChatStream>(offers_tools, sink, place);
  stream->begin(std::move(request));
  return std::make_unique<ChatCall>(std::move(stream));
}

}  // namespace braidlog::provider
