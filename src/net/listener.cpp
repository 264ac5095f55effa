#include "net/listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "net/connection_shard.h"
#include "net/http_connection.h"
#include "net/server_context.h"

namespace braidlog {

namespace {

constexpr int kAcceptsPerRound = 64;  // then other connections of the thread have their turn
constexpr std::chrono::milliseconds kRest{100};

UniqueFd open_reserve() {
  return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

boost::asio::ip::address address_of(const sockaddr_storage& storage) {
  namespace ip = boost::asio::ip;
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    return ip::address_v4(ntohl(v4.sin_addr.s_addr));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
  ip::address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), v6.sin6_addr.s6_addr, bytes.size());
  return ip::address_v6(bytes);
}

// One socket bound to `address` and listening, or the errno of what went wrong.
int listen_on(const addrinfo& address, UniqueFd& out) {
  UniqueFd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!fd) return errno;
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), address.ai_addr, address.ai_addrlen) != 0) return errno;
  if (::listen(fd.get(), SOMAXCONN) != 0) return errno;
  out = std::move(fd);
  return 0;
}

// Every piece leaves at once. What the kernel holds for a client that does not read is bounded as our own part of it
// is. A client that vanished without a word (its acknowledgements stop, but small writes still fit the buffer) is
// noticed by the kernel; a client that only does not read is noticed by us first.
void set_options(int fd, const Limits& limits) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto unsent_bytes_max = static_cast<int>(std::min<std::size_t>(limits.stream_buffer_bytes_max, INT_MAX));
  ::setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes_max, sizeof unsent_bytes_max);
  const auto silence_ms = static_cast<unsigned>(2 * limits.stall_timeout.count());
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence_ms, sizeof silence_ms);
}

std::uint16_t port_of(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size);
  return ntohs(storage.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in&>(storage).sin_port
                                            : reinterpret_cast<const sockaddr_in6&>(storage).sin6_port);
}

}  // namespace

Listener::Listener(std::shared_ptr<ServerContext> context, IoThread& thread)
    : context_(std::move(context)), thread_(thread), reserve_(open_reserve()) {}

Status Listener::bind(const std::string& host, std::uint16_t port) {
  const std::string where = fmt::format("{}:{}", host, port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); error != 0) {
    return fail(ErrorCode::kUnavailable, fmt::format("cannot listen on {}: {}", where, ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (const addrinfo* address = found; address && !bound_; address = address->ai_next) {
    error = listen_on(*address, bound_);
  }
  if (!bound_)
    return fail(ErrorCode::kUnavailable, fmt::format("cannot listen on {}: {}", where, std::strerror(error)));
  port_ = port_of(bound_.get());
  return {};
}

void Listener::start() {
  if (is_closed_) return;
  socket_.emplace(thread_.context().get_executor());
  boost::system::error_code error;
  socket_->assign(bound_.get(), error);
  if (error) return log_error("cannot accept", {{"reason", error.message()}});
  (void)bound_.release();
  wait();
}

void Listener::close() {
  is_closed_ = true;
  resting_.reset();
  bound_.reset();
  boost::system::error_code ignored;
  if (socket_) socket_->close(ignored);
}

void Listener::wait() {
  socket_->async_wait(SocketChannel::Descriptor::wait_read,
                      [self = shared_from_this()](const boost::system::error_code&) { self->accept_some(); });
}

void Listener::accept_some() {
  if (is_closed_) return;
  bool more = true;
  for (int i = 0; i < kAcceptsPerRound && more; ++i) {
    if (!accept_one(more)) return rest();
  }
  wait();
}

bool Listener::accept_one(bool& more) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  UniqueFd fd(
      ::accept4(socket_->native_handle(), reinterpret_cast<sockaddr*>(&storage), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (fd) {
    has_told_of_rest_ = false;
    deal(std::move(fd), address_of(storage));
    return true;
  }
  switch (errno) {
    case EAGAIN: more = false; return true;
    case EMFILE:
    case ENFILE: refuse_without_descriptor(); return false;
    case ENOBUFS:
    case ENOMEM: tell_of_rest(std::strerror(errno)); return false;
    default: return true;  // the connection that was waiting has failed; there may be others
  }
}

// Out of descriptors. The waiting client is told so at once: the reserve is given up for it and taken back.
void Listener::refuse_without_descriptor() {
  tell_of_rest("out of file descriptors");
  reserve_.reset();
  {
    const UniqueFd fd(::accept4(socket_->native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd) refuse_at_once(fd);
  }
  reserve_ = open_reserve();
}

// Where there is no room for a connection that would see its end properly.
void Listener::refuse_at_once(const UniqueFd& fd) {
  ConnectionShard& shard = *context_->shards.front();
  const auto response = context_->handler.transport_error(503, HttpRequest{});
  std::string text;
  append_response_head(text, response, {BodyFraming::kLength, ConnectionHeader::kClose}, shard.date());
  text += response.body;
  // What the client has sent is read, so that closing does not reset the connection under the response.
  ::recv(fd.get(), shard.scratch().data(), shard.scratch().size(), MSG_DONTWAIT);
  ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Once per shortage, not ten times a second.
void Listener::tell_of_rest(const char* reason) {
  if (!std::exchange(has_told_of_rest_, true)) log_warn("accepting rests", {{"reason", reason}});
}

// The socket stays readable while connections wait, so waiting again at once would spin.
void Listener::rest() {
  resting_ = thread_.after(kRest, [this] { accept_some(); });
}

void Listener::deal(UniqueFd fd, boost::asio::ip::address peer) {
  set_options(fd.get(), context_->limits);
  auto& stats = context_->stats;
  stats.connections_accepted.fetch_add(1, std::memory_order_relaxed);
  const auto open = static_cast<std::size_t>(stats.connections_open.load());
  const auto max = context_->limits.connections_max;
  const bool is_refused = open >= max;
  if (open >= max + max / 8 + 16) return refuse_at_once(fd);  // those being refused are too many as well
  ConnectionShard& shard = *context_->shards[next_shard_];
  next_shard_ = (next_shard_ + 1) % context_->shards.size();
  auto connection = std::make_shared<HttpConnection>(context_, std::move(peer));
  shard.thread().post([connection = std::move(connection), &shard, fd = std::move(fd), is_refused]() mutable {
    if (is_refused) {
      connection->open_refused(shard, std::move(fd));
    } else {
      connection->open(shard, std::move(fd));
    }
  });
}

}  // namespace braidlog
