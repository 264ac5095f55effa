// epoll, level-triggered, for one thread.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>

#include "wire/socket.h"

namespace bench {

class Poller {
 public:
  class Watcher {
   public:
    virtual ~Watcher() = default;
    // `ready` has the EPOLL* bits.
    virtual void on_ready(std::uint32_t ready) = 0;
  };

  Poller();

  // The watcher must live until remove().
  void add(int fd, Watcher& watcher, std::uint32_t interest = EPOLLIN);
  void change(int fd, Watcher& watcher, std::uint32_t interest);
  // The watcher is not called again, not even for what this round has already seen.
  void remove(int fd, Watcher& watcher);

  // One round: waits until something is ready or `timeout_ns` are over (< 0: for as long as it takes), calls the
  // watchers.
  void wait(std::int64_t timeout_ns = -1);

 private:
  static constexpr int kEventsPerRound = 512;

  Socket epoll_;
  std::array<epoll_event, kEventsPerRound> events_{};
  int next_ = 0;
  int count_ = 0;
};

}  // namespace bench
