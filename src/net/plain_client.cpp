#include "net/plain_client.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

namespace braidlog {

PlainCall::~PlainCall() {
  if (client_ != nullptr) client_->cancel(*this);
}

Result<std::unique_ptr<PlainClient>> PlainClient::make(boost::asio::io_context& context, const Limits& limits,
                                                       std::size_t connections_max, Settings settings) {
  std::unique_ptr<PlainClient> client(new PlainClient(context, limits, connections_max, settings.idle_time));
  auto sockets = HttpClientSockets::make(
      context, [self = client.get()](const epoll_event* first, int count) { self->on_ready(first, count); });
  if (!sockets) return fail(sockets.error());
  client->sockets_ = std::move(*sockets);
  client->resolver_ = std::make_unique<HostResolver>(*client->sockets_, std::move(settings.lookup));
  return client;
}

PlainClient::PlainClient(boost::asio::io_context& context, const Limits& limits, std::size_t connections_max,
                         std::chrono::milliseconds idle_time)
    : connect_timeout_(limits.upstream_connect_timeout),
      idle_time_(idle_time),
      connections_max_(connections_max),
      timer_(context),
      self_(std::make_shared<PlainClient*>(this)) {}

PlainClient::~PlainClient() {
  *self_ = nullptr;
  for (const auto& connection : connections_) {
    if (connection != nullptr && connection->call() != nullptr) connection->call()->client_ = nullptr;
  }
  for (PlainCall* call : waiting_) call->client_ = nullptr;
  for (PlainCall* call : connecting_) call->client_ = nullptr;
  for (PlainCall* call : ending_) call->client_ = nullptr;
}

std::unique_ptr<HttpCall> PlainClient::send(PlainRequest request, HttpCallSink& sink) {
  auto call = std::make_unique<PlainCall>(*this, sink, std::move(request));
  waiting_.push_back(call.get());
  start_waiting();
  return call;
}

void PlainClient::start_waiting() {
  while (!waiting_.empty() && in_use_ < connections_max_) {
    PlainCall& call = *waiting_.front();
    waiting_.pop_front();
    start(call);
  }
}

void PlainClient::start(PlainCall& call) {
  ++in_use_;
  PlainConnection* kept = take_idle(call.request_.origin);
  if (kept == nullptr) {
    // Idle connections count as well: the limit is one of descriptors.
    if (!idle_.empty() && in_use_ + idle_.size() > connections_max_) close_idle(*idle_.front());
    return connect(call);
  }
  call.connection_ = kept;
  kept->give_to(call, call.request_.is_for_head);
  transmit_later(call);
}

// Requests that are made in the same round go out one right after the other: a server that is at work on the first need
// not be woken for the next.
void PlainClient::transmit_later(PlainCall& call) {
  call.phase_ = PlainCall::Phase::kHeld;
  held_.push_back(&call);
  if (held_.size() > 1) return;
  boost::asio::post(timer_.get_executor(), [self = self_] {
    if (*self != nullptr) (*self)->transmit_held();
  });
}

void PlainClient::transmit_held() {
  for (PlainCall* call : std::exchange(held_, {})) transmit(*call);
}

void PlainClient::transmit(PlainCall& call) {
  using Sent = PlainConnection::Sent;
  PlainConnection& connection = *call.connection_;
  const Sent sent = connection.send(call.request_);
  if (sent == Sent::kConnecting) return wait_for_connection(call);
  if (sent == Sent::kRefused) return try_next_address(call);
  if (call.phase_ != PlainCall::Phase::kTalking) {
    stop_connecting(call);
    call.phase_ = PlainCall::Phase::kTalking;
  }
  // Where the other side is gone, what it said before can still be read; then the socket tells.
  watch(connection, sent == Sent::kPart ? EPOLLIN | EPOLLOUT : EPOLLIN);
  // A long conversation is not to be kept for as long as the answer takes, unless it may have to be sent again.
  if (sent == Sent::kAll && (!connection.is_reused() || connection.is_answered())) call.request_.drop_message();
}

// The request is whole: nothing of it is dropped before the first byte of an answer on a connection that was kept.
void PlainClient::send_again(PlainCall& call) {
  std::erase(held_, &call);
  call.may_have_arrived_ = call.connection_->has_sent();
  close(*std::exchange(call.connection_, nullptr));
  connect(call);
}

// Takes everything from the call that it has of the client.
void PlainClient::release(PlainCall& call) {
  using Phase = PlainCall::Phase;
  if (call.phase_ == Phase::kWaiting) {
    std::erase(waiting_, &call);
  } else if (call.phase_ == Phase::kEnding) {
    std::erase(ending_, &call);
  } else {
    stop_connecting(call);
    std::erase(held_, &call);
    if (call.connection_ != nullptr) close(*std::exchange(call.connection_, nullptr));
    --in_use_;
  }
}

void PlainClient::cancel(PlainCall& call) {
  release(call);
  if (!waiting_.empty()) start_waiting_soon();
}

void PlainClient::start_waiting_soon() {
  boost::asio::post(timer_.get_executor(), [self = self_] {
    if (*self != nullptr) (*self)->start_waiting();
  });
}

void PlainClient::end(PlainCall& call, CallEnd end) {
  release(call);
  call.client_ = nullptr;
  start_waiting();
  call.sink_.on_done(end);
}

// For ends that are found where no sink may be called.
void PlainClient::end_soon(PlainCall& call, CallEnd end) {
  release(call);
  call.phase_ = PlainCall::Phase::kEnding;
  call.end_ = call.may_have_arrived_ ? CallEnd::kCut : end;
  ending_.push_back(&call);
  boost::asio::post(timer_.get_executor(), [self = self_] {
    if (*self != nullptr) (*self)->report_end();
  });
}

void PlainClient::report_end() {
  if (!ending_.empty()) end(*ending_.front(), ending_.front()->end_);
}

void PlainClient::on_ready(const epoll_event* first, int count) {
  is_handling_events_ = true;
  for (const epoll_event* event = first; event != first + count; ++event) on_event(event->data.fd, event->events);
  is_handling_events_ = false;
  closed_.clear();
}

void PlainClient::on_event(int fd, std::uint32_t events) {
  const auto index = static_cast<std::size_t>(fd);
  PlainConnection* connection = index < connections_.size() ? connections_[index].get() : nullptr;
  if (connection == nullptr) {
    if (const auto answer = resolver_->take(fd)) on_addresses(*answer);
    return;
  }
  // It was closed, or speaks without being asked: no request goes there.
  if (connection->call() == nullptr) return close_idle(*connection);
  // The same, in the moment that a request is about to go there.
  if (connection->call()->phase_ == PlainCall::Phase::kHeld) return send_again(*connection->call());
  const bool is_connected = connection->call()->phase_ == PlainCall::Phase::kTalking;
  if (!is_connected) {
    transmit(*connection->call());
    if (connection->call() == nullptr || connection->call()->phase_ != PlainCall::Phase::kTalking) return;
  }
  // First what came: an answer may overtake the request and close the way for the rest of it.
  constexpr std::uint32_t kEnds = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
  if ((events & (EPOLLIN | kEnds)) != 0) receive(*connection, (events & kEnds) != 0);
  if (is_connected && (events & EPOLLOUT) != 0 && connection->call() != nullptr) transmit(*connection->call());
}

// Who sends much at once is read several times before others have their turn: what came in one round of the loop is one
// commit of its run. A socket says once that it has something. A read that does not fill the buffer took all of it, but
// for an end that came with it.
void PlainClient::receive(PlainConnection& connection, bool is_ending) {
  constexpr int kReadsPerRound = 8;
  using Peer = PlainConnection::Peer;
  for (int reads = 0; reads < kReadsPerRound && connection.call() != nullptr; ++reads) {
    const auto [peer, bytes] = connection.receive(buffer_);
    if (peer == Peer::kSilent) return;
    if (peer != Peer::kTalking) return on_close(connection, peer == Peer::kClosed);
    const bool is_all = bytes.size() < buffer_.size() && !is_ending;
    if (connection.is_sent()) connection.call()->request_.drop_message();
    read(connection, bytes);
    if (is_all) return;
  }
  ask_again(connection);
}

void PlainClient::read(PlainConnection& connection, std::span<char> bytes) {
  using Step = ResponseReader::Step;
  // A sink may destroy its call; then the connection has none.
  while (connection.call() != nullptr) {
    PlainCall& call = *connection.call();
    switch (connection.reader().next(bytes)) {
      case Step::kMore: return;
      case Step::kHead: call.sink_.on_head(connection.reader().head()); break;
      case Step::kPiece: call.sink_.on_bytes(connection.reader().piece()); break;
      case Step::kBad: return end(call, CallEnd::kCut);
      case Step::kComplete:
        if (connection.reader().keeps_connection() && connection.is_sent() && bytes.empty()) {
          call.connection_ = nullptr;
          keep(connection);
        }
        return end(call, CallEnd::kComplete);
    }
  }
}

void PlainClient::on_close(PlainConnection& connection, bool is_in_order) {
  PlainCall& call = *connection.call();
  if (!connection.is_answered() && connection.is_reused()) return send_again(call);
  end(call, is_in_order && connection.reader().ends_with_close() ? CallEnd::kComplete : CallEnd::kCut);
}

}  // namespace braidlog
