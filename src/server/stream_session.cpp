#include "server/stream_session.h"

#include <limits>
#include <utility>

#include "wire/sse.h"

namespace braidlog {

namespace {

constexpr std::size_t kPieceBytes = 32 * 1024;
constexpr std::size_t kEventsPerTask = 4096;  // so that a long run does not hold its thread up

// An id without a part names the whole event, and so does one with another contract's part. One from the future was
// never sent by us: it counts as none.
std::optional<FramePosition> start_position(const std::optional<EventId>& after, const RunRecords& records,
                                            const Dialect& dialect) {
  if (!after || after->run_id != records.id() || after->sequence > records.committed()) return std::nullopt;
  const bool is_own = after->part && after->part->mark == dialect.part_mark();
  return FramePosition{after->sequence, is_own ? after->part->index : std::numeric_limits<std::uint32_t>::max()};
}

HttpResponse stream_head(std::vector<HttpHeader> headers) {
  HttpResponse head = HttpResponse::empty(200);
  head.headers = std::move(headers);
  head.set("Content-Type", "text/event-stream");
  head.set("Cache-Control", "no-cache");
  head.set("X-Accel-Buffering", "no");
  return head;
}

}  // namespace

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
  if (frames_.empty() && cursor_->broken()) {
    return refuse({ErrorCode::kStorage, "The log of the run is damaged", {}});
  }
  if (frames_.empty() && cursor_->at_end()) {
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
  held_ = nullptr;
  cursor_.emplace(records_);
  projection_ = dialect_.make_projection(records_->id());
}

void StreamSession::pump() {
  while (!over_ && cursor_ && exchange_->unsent_bytes() == 0) {
    const Read read = read_piece();
    if (frames_.empty()) return read == Read::kAll ? settle() : wait_for(read);
    if (cursor_->at_end() && held_ == nullptr) {
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

StreamSession::Read StreamSession::read_piece() {
  frames_.clear();
  std::size_t events = 0;
  const RunEvent* event = nullptr;
  Read read = Read::kPiece;
  while (frames_.bytes.size() < kPieceBytes) {
    if (events++ == kEventsPerTask) {
      read = Read::kEnough;
      break;
    }
    event = held_ != nullptr ? std::exchange(held_, nullptr) : cursor_->next();
    if (event == nullptr) {
      read = Read::kAll;
      break;
    }
    if (!history_is_here_ && projection_->needs_history(*event)) {
      held_ = event;
      read = Read::kNeedsHistory;
      break;
    }
    history_is_here_ = false;
    const std::size_t first_mark = frames_.marks.size(), first_byte = frames_.bytes.size();
    projection_->project(*event, frames_);
    if (seen_ && event->sequence <= seen_->sequence) skip_seen(first_mark, first_byte);
  }
  if (!frames_.empty()) seen_ = frames_.marks.back().position;
  return read;
}

void StreamSession::ask_history() {
  if (std::exchange(asking_, true)) return;
  const auto need = projection_->needs_history(*held_);
  owner_.history().fetch(*need, [this, alive = liveness_.watch()](std::shared_ptr<const api::SessionView> view) {
    if (alive.expired() || over_) return;
    asking_ = false;
    if (!view && !begun_) return refuse({ErrorCode::kUnavailable, "The conversation cannot be read right now", {}});
    if (!view) return abort();
    projection_->take_history(std::move(view));
    history_is_here_ = true;
    go_on();
  });
}

// Takes the frames that the client has out again. Only the event it was cut at can have some of each.
void StreamSession::skip_seen(std::size_t first_mark, std::size_t first_byte) {
  std::size_t keep_mark = first_mark, keep_byte = first_byte;
  while (keep_mark < frames_.marks.size() && frames_.marks[keep_mark].position <= *seen_) {
    keep_byte = frames_.marks[keep_mark++].end;
  }
  const std::size_t dropped = keep_byte - first_byte;
  frames_.bytes.erase(first_byte, dropped);
  frames_.marks.erase(frames_.marks.begin() + static_cast<std::ptrdiff_t>(first_mark),
                      frames_.marks.begin() + static_cast<std::ptrdiff_t>(keep_mark));
  for (std::size_t i = first_mark; i < frames_.marks.size(); ++i) frames_.marks[i].end -= dropped;
}

void StreamSession::settle() {
  if (records_->abandoned() || cursor_->broken()) return abort();
  if (cursor_->at_end()) {
    exchange_->finish();
    return over();
  }
  feed_ = owner_.find_feed(*this);
  if (feed_ == nullptr) feed_ = &owner_.give_feed(*this, std::move(*cursor_), std::move(projection_));
  feed_->join(*this);
  cursor_.reset();
  projection_.reset();
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
