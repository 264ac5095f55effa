// How a PlainClient comes by its connections, and which it keeps.
#include <algorithm>
#include <utility>

#include "net/plain_client.h"

namespace braidlog {

namespace {

// A socket that was ready is not looked at again until something new comes to it; an end of it is told apart from
// bytes.
constexpr std::uint32_t kOnce = EPOLLET | EPOLLRDHUP;

}  // namespace

void PlainClient::connect(PlainCall& call) {
  call.phase_ = PlainCall::Phase::kResolving;
  call.due_ = call.address_due_ = std::chrono::steady_clock::now() + connect_timeout_;
  call.next_address_ = 0;
  call.addresses_ = resolver_->find(call.request_.host);
  if (call.addresses_ != nullptr) return try_next_address(call);
  wait_for_connection(call);
}

void PlainClient::on_addresses(const HostResolver::Answer& answer) {
  std::vector<PlainCall*> calls;
  std::copy_if(connecting_.begin(), connecting_.end(), std::back_inserter(calls), [&](const PlainCall* call) {
    return call->phase_ == PlainCall::Phase::kResolving && call->request_.host == answer.host;
  });
  for (PlainCall* call : calls) {
    call->addresses_ = answer.addresses;
    if (call->addresses_ != nullptr) {
      try_next_address(*call);
    } else {
      end_soon(*call, CallEnd::kNotReached);
    }
  }
}

// An address that does not answer leaves half of the time to those after it.
void PlainClient::try_next_address(PlainCall& call) {
  if (call.connection_ != nullptr) close(*std::exchange(call.connection_, nullptr));
  while (call.next_address_ < call.addresses_->size()) {
    SocketAddress address = (*call.addresses_)[call.next_address_++];
    address.set_port(call.request_.port);
    auto connection = PlainConnection::open(address, call.request_.origin);
    if (connection == nullptr) continue;
    const auto now = std::chrono::steady_clock::now();
    const bool is_last = call.next_address_ == call.addresses_->size();
    call.address_due_ = is_last ? call.due_ : now + (call.due_ - now) / 2;
    call.phase_ = PlainCall::Phase::kConnecting;
    call.connection_ = &adopt(std::move(connection));
    call.connection_->give_to(call, call.request_.is_for_head);
    // On this machine the connection is there already.
    return transmit(call);
  }
  end_soon(call, CallEnd::kNotReached);
}

void PlainClient::wait_for_connection(PlainCall& call) {
  if (call.connection_ != nullptr) watch(*call.connection_, EPOLLIN | EPOLLOUT);
  if (std::find(connecting_.begin(), connecting_.end(), &call) == connecting_.end()) connecting_.push_back(&call);
  wake_at(call.address_due_);
}

void PlainClient::stop_connecting(PlainCall& call) {
  if (call.addresses_ == nullptr && call.phase_ != PlainCall::Phase::kResolving) return;
  std::erase(connecting_, &call);
  call.addresses_.reset();
}

// Most connections are made long before their time is up, and to set a timer anew is dear: one that is too early is let
// be, and looks again.
void PlainClient::wake_at(TimePoint due) {
  if (timer_set_to_ && *timer_set_to_ <= due) return;
  timer_set_to_ = due;
  timer_.expires_at(due);
  timer_.async_wait([self = self_](const boost::system::error_code& error) {
    if (*self != nullptr && !error) (*self)->on_timer();
  });
}

void PlainClient::on_timer() {
  timer_set_to_.reset();
  const auto now = std::chrono::steady_clock::now();
  std::vector<PlainCall*> late;
  std::copy_if(connecting_.begin(), connecting_.end(), std::back_inserter(late),
               [&](const PlainCall* call) { return call->address_due_ <= now; });
  for (PlainCall* call : late) {
    if (call->due_ <= now) {
      end_soon(*call, CallEnd::kConnectTimeout);
    } else {
      try_next_address(*call);
    }
  }
  while (!idle_.empty() && idle_.front()->idle_since + idle_time_ <= now) close_idle(*idle_.front());

  for (const PlainCall* call : connecting_) wake_at(call->address_due_);
  if (!idle_.empty()) wake_at(idle_.front()->idle_since + idle_time_);
}

PlainConnection& PlainClient::adopt(std::unique_ptr<PlainConnection> connection) {
  const auto index = static_cast<std::size_t>(connection->fd());
  if (index >= connections_.size()) connections_.resize(index + 1);
  connections_[index] = std::move(connection);
  return *connections_[index];
}

void PlainClient::watch(PlainConnection& connection, std::uint32_t events) {
  const auto watched = std::exchange(connection.watched, events);
  if (watched == events) return;
  if (watched == 0) {
    sockets_->add(connection.fd(), events | kOnce);
  } else {
    sockets_->watch(connection.fd(), events | kOnce);
  }
}

// What the socket has now is an event of the next round, though it said so before. Nothing where it is closed.
void PlainClient::ask_again(PlainConnection& connection) {
  if (connections_[static_cast<std::size_t>(connection.fd())].get() != &connection) return;
  sockets_->watch(connection.fd(), connection.watched | kOnce);
}

void PlainClient::close(PlainConnection& connection) {
  connection.take_back();
  auto closed = std::move(connections_[static_cast<std::size_t>(connection.fd())]);
  if (is_handling_events_) closed_.push_back(std::move(closed));
}

void PlainClient::keep(PlainConnection& connection) {
  connection.take_back();
  connection.idle_since = std::chrono::steady_clock::now();
  idle_.push_back(&connection);
  if (idle_.size() > kIdleConnectionsMax) close_idle(*idle_.front());
  wake_at(idle_.front()->idle_since + idle_time_);
}

// The one that was used last: it is the least likely to be closed on the other side.
PlainConnection* PlainClient::take_idle(const std::string& origin) {
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                  [&](const PlainConnection* connection) { return connection->origin() == origin; });
  if (found == idle_.rend()) return nullptr;
  PlainConnection* connection = *found;
  idle_.erase(std::next(found).base());
  return connection;
}

void PlainClient::close_idle(PlainConnection& connection) {
  std::erase(idle_, &connection);
  close(connection);
}

}  // namespace braidlog
