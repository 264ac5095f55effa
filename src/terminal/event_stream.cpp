#include "terminal/event_stream.h"

#include <algorithm>
#include <utility>

namespace braidlog::terminal {

namespace {

constexpr std::size_t kRefusalBytesMax = 64 * 1024;

// Not for ever: the server is overloaded or stops, or a proxy finds none behind it.
bool is_passing(int status) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

}  // namespace

EventStream::EventStream(Loop& loop, HttpClient& http, OutgoingRequest request, StreamOptions options,
                         StreamListener& listener)
    : loop_(loop),
      http_(http),
      request_(std::move(request)),
      options_(std::move(options)),
      listener_(listener),
      last_id_(options_.last_id),
      pause_(options_.first_pause) {}

void EventStream::open() {
  connect();
}

void EventStream::connect() {
  call_.reset();
  status_ = 0;
  refusal_.clear();
  splitter_.reset();
  frames_to_skip_ = frames_without_id_;
  OutgoingRequest request = request_;
  if (!last_id_.empty()) request.headers.push_back({"Last-Event-ID", last_id_});
  call_ = http_.send(std::move(request), *this);
  watch_silence();
}

void EventStream::on_head(const ResponseHead& head) {
  status_ = head.status();
  watch_silence();
}

void EventStream::on_bytes(std::string_view bytes) {
  watch_silence();
  if (status_ != 200) {
    refusal_ += bytes.substr(0, kRefusalBytesMax - std::min(kRefusalBytesMax, refusal_.size()));
    return;
  }
  is_lost_ = false;
  pause_ = options_.first_pause;
  const bool fits = splitter_.feed(bytes, [&](const Frame& frame) { return take(frame); });
  if (has_enough_) return finish({});
  if (!fits) finish({StreamEnd::Kind::kRefused, status_, "an event is too long"});
}

bool EventStream::take(const Frame& frame) {
  if (frame.id.empty() && frames_to_skip_ > 0) return --frames_to_skip_, true;
  if (frame.id.empty()) ++frames_without_id_;
  if (!frame.id.empty()) last_id_ = frame.id;
  was_last_ |= options_.is_last && options_.is_last(frame);
  has_enough_ = !listener_.on_frame(frame);
  return !has_enough_;
}

void EventStream::on_done(CallEnd end) {
  if (end != CallEnd::kComplete || is_passing(status_)) return was_last_ ? finish({}) : retry();
  if (status_ == 204) return finish({});
  if (status_ != 200) return finish({StreamEnd::Kind::kRefused, status_, refusal_});
  if (options_.is_last && !was_last_) return retry();
  finish({});
}

void EventStream::retry() {
  if (is_over_) return;
  silence_timer_.reset();
  if (!std::exchange(is_lost_, true)) {
    lost_at_ = loop_.clock().mono();
    listener_.on_lost();
  }
  if (loop_.clock().mono().ms - lost_at_.ms >= options_.give_up_after.count()) {
    return finish({StreamEnd::Kind::kGaveUp, status_, refusal_});
  }
  pause_timer_ = loop_.after(std::exchange(pause_, std::min(pause_ * 2, options_.pause_max)), [this] { connect(); });
}

void EventStream::watch_silence() {
  if (is_over_) return;
  silence_timer_ = loop_.after(options_.silence_max, [this] {
    call_.reset();
    retry();
  });
}

void EventStream::finish(StreamEnd end) {
  if (std::exchange(is_over_, true)) return;
  silence_timer_.reset();
  pause_timer_.reset();
  call_.reset();
  listener_.on_end(end);
}

}  // namespace braidlog::terminal
