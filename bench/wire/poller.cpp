#include "wire/poller.h"

#include <time.h>

#include <cerrno>
#include <cstring>

namespace bench {

Poller::Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) give_up(std::string("epoll: ") + std::strerror(errno));
}

void Poller::add(int fd, Watcher& watcher, std::uint32_t interest) {
  epoll_event event{.events = interest, .data = {.ptr = &watcher}};
  if (::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, fd, &event) != 0) give_up(std::string("epoll: ") + std::strerror(errno));
}

void Poller::change(int fd, Watcher& watcher, std::uint32_t interest) {
  epoll_event event{.events = interest, .data = {.ptr = &watcher}};
  ::epoll_ctl(epoll_.fd(), EPOLL_CTL_MOD, fd, &event);
}

void Poller::remove(int fd, Watcher& watcher) {
  ::epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, fd, nullptr);
  for (int i = next_; i < count_; ++i) {
    if (events_[static_cast<std::size_t>(i)].data.ptr == &watcher)
      events_[static_cast<std::size_t>(i)].data.ptr = nullptr;
  }
}

void Poller::wait(std::int64_t timeout_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  // Milliseconds are too coarse: they would bundle the tokens of many streams into one burst per tick.
  const timespec timeout{.tv_sec = timeout_ns / kSecond, .tv_nsec = timeout_ns % kSecond};
  next_ = 0;
  count_ = ::epoll_pwait2(epoll_.fd(), events_.data(), kEventsPerRound, timeout_ns < 0 ? nullptr : &timeout, nullptr);
  while (next_ < count_) {
    const epoll_event& event = events_[static_cast<std::size_t>(next_++)];
    if (event.data.ptr != nullptr) static_cast<Watcher*>(event.data.ptr)->on_ready(event.events);
  }
}

}  // namespace bench
