#include "net/http_connection.h"

#include <algorithm>
#include <utility>

#include "base/release_memory.h"
#include "net/connection_shard.h"
#include "net/http_exchange.h"
#include "net/server_context.h"

namespace braidlog {

namespace {

constexpr std::size_t kEarlyBytesMax = 16 * 1024;  // of later requests, while one is answered

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<ServerContext> context, boost::asio::ip::address peer)
    : context_(std::move(context)), peer_(std::move(peer)) {
  context_->stats.connections_open.fetch_add(1);
}

// Without close(): the task that carried it to another thread was dropped with that thread.
HttpConnection::~HttpConnection() {
  if (state_ == State::kClosed) return;
  release_body();
  end_stream_count();
  context_->stats.connections_open.fetch_sub(1);
}

void HttpConnection::open(ConnectionShard& shard, UniqueFd fd) {
  if (attach(shard, std::move(fd))) watch_read();
}

void HttpConnection::open_refused(ConnectionShard& shard, UniqueFd fd) {
  if (attach(shard, std::move(fd))) refuse(503);
}

bool HttpConnection::attach(ConnectionShard& shard, UniqueFd fd) {
  shard_ = &shard;
  since_ = progress_ = shard.now();
  shard.add(shared_from_this());
  if (!shard.is_closed() && channel_.attach(shard.thread().context(), std::move(fd))) return true;
  close();
  return false;
}

// Leaving: every wait of the old thread must have come back before the new thread may touch the connection, so the
// last of them carries it over.
void HttpConnection::move_to(unsigned loop_index, Task then) {
  BRAIDLOG_CHECK(state_ == State::kHandling);
  if (context_->shards[loop_index].get() == shard_) return shard_->thread().post(std::move(then));
  state_ = State::kMoving;
  departure_ = std::make_unique<Departure>(Departure{loop_index, std::move(then)});
  channel_.cancel_waits();
  departure_wait_ = true;
  shard_->thread().post([self = shared_from_this()]() mutable {
    self->departure_wait_ = false;
    if (self->state_ == State::kMoving) depart_when_free(std::move(self));
  });
}

void HttpConnection::depart_when_free(std::shared_ptr<HttpConnection> self) {
  if (self->read_wait_ || self->write_wait_ || self->departure_wait_) return;
  self->shard_->remove(*self);
  UniqueFd fd = self->channel_.detach();
  ConnectionShard& target = *self->context_->shards[self->departure_->loop_index];
  // `self` goes along: this thread keeps nothing of it.
  target.thread().post(
      [self = std::move(self), &target, fd = std::move(fd)]() mutable { self->arrive(target, std::move(fd)); });
}

void HttpConnection::arrive(ConnectionShard& shard, UniqueFd fd) {
  exchange_->set_loop(shard.thread());
  const MonoTime progress = progress_;
  if (!attach(shard, std::move(fd))) return;  // close() has run `then`
  progress_ = progress;
  const auto departure = std::move(departure_);
  state_ = State::kHandling;
  if (channel_.unsent_bytes() > 0) watch_write();
  watch_read();
  departure->then();
}

void HttpConnection::watch_read() {
  if (std::exchange(read_wait_, true)) return;
  channel_.descriptor().async_wait(
      SocketChannel::Descriptor::wait_read,
      [self = shared_from_this()](const boost::system::error_code&) mutable { on_readable(std::move(self)); });
}

void HttpConnection::watch_write() {
  if (std::exchange(write_wait_, true)) return;
  channel_.descriptor().async_wait(
      SocketChannel::Descriptor::wait_write,
      [self = shared_from_this()](const boost::system::error_code&) mutable { on_writable(std::move(self)); });
}

void HttpConnection::on_readable(std::shared_ptr<HttpConnection> self) {
  self->read_wait_ = false;
  switch (self->state_) {
    case State::kReading: return self->guarded(&HttpConnection::read);
    case State::kHandling:
    case State::kStreaming:
    case State::kFlushing: return self->guarded(&HttpConnection::watch_peer);
    case State::kLingering: return self->discard_input();
    case State::kMoving: return depart_when_free(std::move(self));
    case State::kClosed: return;
  }
}

void HttpConnection::on_writable(std::shared_ptr<HttpConnection> self) {
  self->write_wait_ = false;
  if (self->state_ == State::kClosed) return;
  if (self->state_ == State::kMoving) return depart_when_free(std::move(self));
  if (self->flush() == SocketChannel::Written::kAll) self->on_drained();
}

// When this round of the loop is over.
void HttpConnection::send_held_later() {
  shard_->thread().post([self = shared_from_this()] {
    if (self->channel_.is_holding()) self->flush();
  });
}

SocketChannel::Written HttpConnection::flush() {
  const auto written = channel_.flush();
  if (const auto sent = channel_.last_sent_bytes(); sent > 0) {
    progress_ = shard_->now();
    shard_->count_sent(sent);
  }
  if (written == SocketChannel::Written::kPart) watch_write();
  if (written == SocketChannel::Written::kGone) close();
  return written;
}

void HttpConnection::on_drained() {
  switch (state_) {
    case State::kReading:
      since_ = progress_;
      release_body();
      return read_on();
    case State::kStreaming:
      if (observer_) observer_->on_drained();
      return;
    case State::kFlushing: release_body(); return linger();
    case State::kHandling:
    case State::kMoving:
    case State::kLingering:
    case State::kClosed: return;
  }
}

// While an answer is on its way the socket is read only to learn that the client has gone. What it sends of its next
// request meanwhile is kept up to a limit, so that its going is seen behind it; whoever sends more is plainly there,
// and watching stops until the request is read.
void HttpConnection::watch_peer() {
  const bool may_take = state_ != State::kFlushing && pending_.size() < kEarlyBytesMax;
  SocketChannel::Received received;
  if (may_take) {
    const auto room = std::min(shard_->scratch().size(), kEarlyBytesMax - pending_.size());
    received = channel_.receive(shard_->scratch().first(room));
    pending_ += received.bytes;
  } else {
    received.peer = channel_.peek();
  }
  switch (received.peer) {
    case SocketChannel::Peer::kGone: return close();
    case SocketChannel::Peer::kSilent: return watch_read();
    case SocketChannel::Peer::kTalking:
      if (may_take) watch_read();
      return;
  }
}

// Closing while the client still sends would reset the connection, and the response could be lost with it. So only
// our side is shut, and what comes in is thrown away until the client closes too, or for a short while.
void HttpConnection::linger() {
  state_ = State::kLingering;
  since_ = shard_->now();
  reader_.reset();
  release_memory(pending_);
  channel_.shut_write();
  watch_read();
}

void HttpConnection::discard_input() {
  switch (channel_.receive(shard_->scratch()).peer) {
    case SocketChannel::Peer::kGone: return close();
    case SocketChannel::Peer::kSilent:
    case SocketChannel::Peer::kTalking: return watch_read();
  }
}

// For a write that fails inside a call from above: observers hear of it from the loop, never from inside that call.
void HttpConnection::close_later() {
  if (std::exchange(is_broken_, true)) return;
  shard_->thread().post([self = shared_from_this()] { self->close(); });
}

void HttpConnection::drain() {
  const bool is_idle = state_ == State::kReading && !reader_ && pending_.empty() && channel_.unsent_bytes() == 0;
  if (is_idle) linger();
}

void HttpConnection::close() {
  if (state_ == State::kClosed) return;
  const auto self = shared_from_this();
  end_stream_count();
  state_ = State::kClosed;
  channel_.close();
  shard_->remove(*this);
  context_->stats.connections_open.fetch_sub(1);
  release_body();
  reader_.reset();
  release_memory(pending_);

  const auto exchange = std::move(exchange_);
  auto* const observer = std::exchange(observer_, nullptr);
  const auto departure = std::move(departure_);
  Task gone = exchange ? exchange->cut_loose_unanswered() : Task();
  if (observer) {
    observer->on_closed();
  } else if (departure) {
    exchange->move_to(departure->loop_index, std::move(departure->then));
  } else if (gone) {
    gone();
  }
}

void HttpConnection::end_stream_count() {
  if (state_ == State::kStreaming) context_->stats.streams_open.fetch_sub(1);
}

}  // namespace braidlog
