#include "server/stream_session.h"

#include <utility>

#include "server/stream_head.h"
#include "wire/sse.h"

namespace braidlog {

StreamSession::StreamSession(std::shared_ptr<Exchange> exchange, const Dialect& dialect,
                             std::shared_ptr<RunRecords> records, std::optional<EventId> after, const Limits& limits,
                             StreamOwner& owner, Viewer viewer)
    : exchange_(std::move(exchange)),
      dialect_(dialect),
      records_(std::move(records)),
      limits_(limits),
      owner_(owner),
      seen_(start_position(after, *records_, dialect)),
      frames_(owner.scratch()),
      viewer_(std::move(viewer)) {}

StreamSession::~StreamSession() {
  leave_feed();
}

void StreamSession::start(std::vector<HttpHeader> headers) {
  headers_ = std::move(headers);
  begin_reading();
  begin();
}

// The head says whether anything is left for this client, so the first frame is looked for before it is sent.
void StreamSession::begin() {
  const Read read = read_piece();
  if (frames_.empty() && read != Read::kAll) return wait_for(read);
  begun_ = true;
  if (frames_.empty() && reader_->broken()) {
    return refuse({ErrorCode::kStorage, "The log of the run is damaged", {}});
  }
  if (frames_.empty() && reader_->at_end()) {
    HttpResponse nothing_left = HttpResponse::empty(204);
    nothing_left.headers = std::move(headers_);
    exchange_->respond(std::move(nothing_left));
    return over();
  }
  exchange_->begin_stream(stream_head(std::exchange(headers_, {})), kKeepaliveComment, frames_.bytes, *this);
  pump();
}

void StreamSession::refuse(const Error& error) {
  exchange_->respond(dialect_.error(error, exchange_->request().id));
  over();
}

void StreamSession::go_on() {
  if (over_) return;
  begun_ ? pump() : begin();
}

void StreamSession::abort() {
  exchange_->abort();
  over();
}

void StreamSession::begin_reading() {
  reader_.emplace(records_, dialect_);
}

void StreamSession::pump() {
  while (!over_ && reader_ && exchange_->unsent_bytes() == 0) {
    const Read read = read_piece();
    if (frames_.empty()) return read == Read::kAll ? settle() : wait_for(read);
    if (reader_->at_end()) {
      exchange_->finish_with(frames_.bytes);
      return over();
    }
    exchange_->send(frames_.bytes);
  }
}

void StreamSession::wait_for(Read reason) {
  if (reason == Read::kEnough) owner_.later(*this);
  if (reason == Read::kNeedsHistory) ask_history();
}

void StreamSession::ask_history() {
  if (std::exchange(asking_, true)) return;
  owner_.history().fetch(reader_->need(),
                         [this, alive = liveness_.watch()](std::shared_ptr<const api::SessionView> view) {
                           if (alive.expired() || over_) return;
                           asking_ = false;
                           if (!view && !begun_)
                             return refuse({ErrorCode::kUnavailable, "The conversation cannot be read right now", {}});
                           if (!view) return abort();
                           reader_->give(std::move(view));
                           go_on();
                         });
}

void StreamSession::settle() {
  if (records_->abandoned() || reader_->broken()) return abort();
  if (reader_->at_end()) {
    exchange_->finish();
    return over();
  }
  feed_ = owner_.find_feed(*this);
  if (feed_ == nullptr) feed_ = &owner_.give_feed(*this, reader_->take_cursor(), reader_->take_projection());
  feed_->join(*this);
  reader_.reset();
}

void StreamSession::on_frames(std::string_view bytes, FramePosition last, bool ended) {
  if (exchange_->unsent_bytes() + bytes.size() > limits_.stream_buffer_bytes_max) {
    // Too slow for the live tail: the rest is read from the log when the socket is free again.
    leave_feed();
    begin_reading();
    return owner_.later(*this);
  }
  seen_ = last;
  if (ended) {
    exchange_->finish_with(bytes);
    return over();
  }
  if (!bytes.empty()) exchange_->send(bytes);
}

void StreamSession::on_drained() {
  pump();
}

void StreamSession::on_closed() {
  over();
}

void StreamSession::over() {
  if (over_) return;
  over_ = true;
  records_->ended() ? viewer_.seat.run_is_over() : viewer_.seat.give_up();
  leave_feed();
  owner_.on_over(*this);
}

void StreamSession::leave_feed() {
  if (feed_ != nullptr) feed_->leave(*this);
  feed_ = nullptr;
}

}  // namespace braidlog
