#include "net/http_client_sockets.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"

namespace braidlog {

namespace {

// A round: what is ready beyond this waits until the other work of the thread had its turn.
constexpr int kEventsPerRound = 128;

}  // namespace

Result<std::unique_ptr<HttpClientSockets>> HttpClientSockets::make(boost::asio::io_context& context, OnReady on_ready) {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) {
    return fail(ErrorCode::kUnavailable, std::string("cannot watch upstream connections: ") + std::strerror(errno));
  }
  std::unique_ptr<HttpClientSockets> sockets(new HttpClientSockets(context, std::move(epoll), std::move(on_ready)));
  sockets->wait();
  return sockets;
}

HttpClientSockets::HttpClientSockets(boost::asio::io_context& context, UniqueFd epoll, OnReady on_ready)
    : epoll_(context, epoll.release()),
      on_ready_(std::move(on_ready)),
      self_(std::make_shared<HttpClientSockets*>(this)) {}

HttpClientSockets::~HttpClientSockets() {
  *self_ = nullptr;
}

void HttpClientSockets::add(int fd, std::uint32_t events) {
  if (control(EPOLL_CTL_ADD, fd, events)) return;
  // The call on this socket then hears nothing, and ends as one whose upstream is silent.
  log_warn("cannot watch an upstream connection", {{"error", std::strerror(errno)}});
}

void HttpClientSockets::watch(int fd, std::uint32_t events) {
  if (!control(EPOLL_CTL_MOD, fd, events)) add(fd, events);
}

bool HttpClientSockets::control(int operation, int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  return ::epoll_ctl(epoll_.native_handle(), operation, fd, &event) == 0;
}

void HttpClientSockets::forget(int fd) {
  ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, fd, nullptr);
}

void HttpClientSockets::wait() {
  epoll_.async_wait(Descriptor::wait_read, [self = self_](const boost::system::error_code& error) {
    if (*self == nullptr || error) return;
    (*self)->take();
    // on_ready does not destroy its client, so this is still there.
    (*self)->wait();
  });
}

void HttpClientSockets::take() {
  std::array<epoll_event, kEventsPerRound> events;
  const int count = ::epoll_wait(epoll_.native_handle(), events.data(), kEventsPerRound, 0);
  if (count > 0) on_ready_(events.data(), count);
}

}  // namespace braidlog
