#include "net/http_client_sockets.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"

namespace braidlog {

namespace {

// A round: what is ready beyond this waits until the other work of the thread had its turn.
constexpr int kEventsPerRound = 256;

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
    : epoll_(std::move(epoll)),
      watch_(context),
      timer_(context),
      on_ready_(std::move(on_ready)),
      self_(std::make_shared<HttpClientSockets*>(this)) {}

HttpClientSockets::~HttpClientSockets() {
  *self_ = nullptr;
  if (watch_.is_open()) watch_.release();
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
  return ::epoll_ctl(epoll_.get(), operation, fd, &event) == 0;
}

void HttpClientSockets::forget(int fd) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void HttpClientSockets::wait() {
  boost::system::error_code error;
  if (!watch_.is_open()) watch_.assign(epoll_.get(), error);
  if (error) return wait_until(std::chrono::steady_clock::now() + ReadPace::kDistance);  // no memory for it now
  watch_.async_wait(Descriptor::wait_read, looking());
}

// Asio would be woken up by every socket that has something to say, though nobody asks.
void HttpClientSockets::wait_until(ReadPace::Time time) {
  if (watch_.is_open()) watch_.release();
  timer_.expires_at(time);
  timer_.async_wait(looking());
}

void HttpClientSockets::look() {
  std::array<epoll_event, kEventsPerRound> events;
  const auto now = std::chrono::steady_clock::now();
  const int count = std::max(0, ::epoll_wait(epoll_.get(), events.data(), kEventsPerRound, 0));
  pace_.note(now, count);
  // It does not destroy its client, so this is still there.
  if (count > 0) on_ready_(events.data(), count);
  if (!pace_.is_busy()) return wait();
  wait_until(count == kEventsPerRound ? now : pace_.due());  // there may be more
}

}  // namespace braidlog
