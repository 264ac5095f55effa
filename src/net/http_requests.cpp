// HttpConnection, the half that reads requests.
#include <new>
#include <utility>

#include "base/log.h"
#include "net/connection_shard.h"
#include "net/http_connection.h"
#include "net/http_exchange.h"
#include "net/server_context.h"

namespace braidlog {

// A request that there is no memory for is that request's problem, not the server's.
void HttpConnection::guarded(void (HttpConnection::*read)()) {
  try {
    (this->*read)();
  } catch (const std::bad_alloc&) {
    is_consuming_ = false;
    give_up_for_memory();
  }
}

void HttpConnection::give_up_for_memory() noexcept {
  try {
    log_warn("no memory for a request");
    if (state_ == State::kReading) return refuse(503);
    if (state_ == State::kHandling) return respond(overload());
  } catch (const std::bad_alloc&) {
    // Not even for saying so.
  }
  close();
}

void HttpConnection::read() {
  // What has come before goes first; only then is more taken, so that pending_ holds one read, or a little more.
  if (!pending_.empty()) return consume(std::exchange(pending_, {}));
  const auto received = channel_.receive(shard_->scratch());
  switch (received.peer) {
    case SocketChannel::Peer::kSilent: return watch_read();
    case SocketChannel::Peer::kGone:
      // A client may shut its side after the request and still read: it gets what is on its way to it.
      if (channel_.unsent_bytes() == 0) return close();
      state_ = State::kFlushing;
      return;
    case SocketChannel::Peer::kTalking: break;
  }
  progress_ = shard_->now();
  consume(received.bytes);
}

// After a response: the next request, from what has come already or from the socket.
void HttpConnection::read_on() {
  if (pending_.empty()) return watch_read();
  // From the loop, not from inside the call that answered: the handler is not entered twice.
  shard_->thread().post([self = shared_from_this()] {
    if (self->state_ == State::kReading && !self->pending_.empty()) self->guarded(&HttpConnection::read);
  });
}

// Takes requests while they are answered at once. What follows a request that is not, or a response that the client
// does not take, waits in pending_; it is one read, and what watch_peer() adds.
void HttpConnection::consume(std::string_view bytes) {
  is_consuming_ = true;
  while (state_ == State::kReading && !bytes.empty() && channel_.unsent_bytes() == 0) {
    if (!reader_) begin_request();
    bytes.remove_prefix(reader_->feed(bytes));
    if (reader_->state() == RequestReader::State::kHeadComplete) take_head(!bytes.empty());
    if (state_ != State::kReading || !reader_) continue;
    if (!count_body()) {
      refuse(503);
    } else if (reader_->state() == RequestReader::State::kFailed) {
      refuse(reader_->failure_status());
    } else if (reader_->state() == RequestReader::State::kComplete) {
      dispatch();
    }
  }
  is_consuming_ = false;
  switch (state_) {
    case State::kReading:
      pending_ = bytes;
      if (channel_.unsent_bytes() == 0) watch_read();
      return;
    case State::kHandling:
    case State::kStreaming: pending_ = bytes; return watch_read();
    case State::kMoving: pending_ = bytes; return;
    case State::kFlushing:
    case State::kLingering:
    case State::kClosed: return;  // no byte after the last response is read as a request
  }
}

void HttpConnection::begin_request() {
  reader_ = std::make_unique<RequestReader>(context_->limits.header_bytes_max);
  reader_->request().id = shard_->next_request_id();
  reader_->request().peer = peer_.to_string();
  since_ = shard_->now();
}

void HttpConnection::take_head(bool more_at_hand) {
  keep_alive_ = reader_->keep_alive();
  is_http_1_0_ = reader_->is_http_1_0();
  head_only_ = reader_->request().method == Method::kHead;
  since_ = progress_ = shard_->now();

  auto decision = context_->handler.on_head(reader_->request());
  if (auto* refusal = std::get_if<HttpResponse>(&decision)) {
    context_->stats.requests.fetch_add(1, std::memory_order_relaxed);
    const bool is_whole = !reader_->has_body();
    write_response(std::move(*refusal), is_whole && may_keep_open());
    return;
  }
  reader_->accept_body(std::get<TakeBody>(decision).bytes_max);
  if (reader_->state() != RequestReader::State::kBody) return;
  const auto in_flight = static_cast<std::uint64_t>(context_->stats.body_bytes_in_flight.load());
  if (in_flight + reader_->content_length().value_or(0) > context_->limits.bodies_in_flight_bytes_max) {
    refuse(503);
  } else if (reader_->expects_continue() && !more_at_hand) {
    const std::string_view interim[] = {"HTTP/1.1 100 Continue\r\n\r\n"};
    if (write(interim) == SocketChannel::Written::kGone) close();
  }
}

// Counts what has come of the body into the server's budget. False: the budget is spent.
bool HttpConnection::count_body() {
  const std::size_t bytes = reader_->request().body.size();
  const std::size_t more = bytes - body_bytes_counted_;
  if (more == 0) return true;
  body_bytes_counted_ = bytes;
  const auto before = context_->stats.body_bytes_in_flight.fetch_add(static_cast<std::int64_t>(more));
  return static_cast<std::uint64_t>(before) + more <= context_->limits.bodies_in_flight_bytes_max;
}

bool HttpConnection::has_room_for(std::size_t response_bytes) const {
  constexpr std::size_t kSmallBytes = 64 * 1024;  // errors and lists are answered even under load
  const auto in_flight = static_cast<std::uint64_t>(context_->stats.body_bytes_in_flight.load());
  return response_bytes <= kSmallBytes || in_flight + response_bytes <= context_->limits.bodies_in_flight_bytes_max;
}

void HttpConnection::count_kept(std::size_t response_bytes) {
  body_bytes_counted_ += response_bytes;
  context_->stats.body_bytes_in_flight.fetch_add(static_cast<std::int64_t>(response_bytes));
}

HttpResponse HttpConnection::overload() const {
  return context_->handler.transport_error(503, {});
}

void HttpConnection::release_body() {
  const std::size_t bytes = std::exchange(body_bytes_counted_, 0);
  if (bytes > 0) context_->stats.body_bytes_in_flight.fetch_sub(static_cast<std::int64_t>(bytes));
}

void HttpConnection::dispatch() {
  context_->stats.requests.fetch_add(1, std::memory_order_relaxed);
  state_ = State::kHandling;
  exchange_ =
      std::make_shared<HttpExchange>(context_, shared_from_this(), shard_->thread(), std::move(reader_->request()));
  reader_.reset();
  context_->handler.on_request(exchange_);
}

// Answers what is not a request. The bytes that follow are never one either: nobody knows where it would begin.
void HttpConnection::refuse(int status) {
  context_->stats.bad_requests.fetch_add(1, std::memory_order_relaxed);
  const HttpRequest none;
  if (reader_) head_only_ = reader_->request().method == Method::kHead;
  auto response = context_->handler.transport_error(status, reader_ ? reader_->request() : none);
  write_response(std::move(response), false);
}

void HttpConnection::end_exchange() {
  release_body();
  if (const auto exchange = std::move(exchange_)) exchange->cut_loose();
}

}  // namespace braidlog
