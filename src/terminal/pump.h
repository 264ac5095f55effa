// The one thread of a terminal command. It is no server: everything happens on the main thread, and whoever waits for
// something turns the loop until it is there. So there is nothing to lock, and a terminal that is slow to take what is
// written (a pager, a held key) slows the reading of the network by itself.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <deque>
#include <memory>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "net/http_client.h"
#include "net/http_client_sockets.h"
#include "net/io_thread.h"
#include "net/unique_fd.h"

namespace braidlog::terminal {

class Pump {
 public:
  // kUnavailable: no descriptors left.
  static Result<std::unique_ptr<Pump>> make();
  ~Pump();

  Loop& loop() { return *threads_.front(); }
  HttpClient& http() { return clients_->on(loop()); }

  // Runs tasks until `is_there()` says so; it is asked first and after each task.
  template <class Condition>
  void until(Condition is_there) {
    while (!is_there()) context().run_one();
  }
  // The same, for `time` at most.
  template <class Condition>
  void until(Condition is_there, std::chrono::milliseconds time) {
    bool is_late = false;
    const Timer timer = loop().after(time, [&] { is_late = true; });
    until([&] { return is_late || is_there(); });
  }

  // From now on SIGINT, SIGTERM, SIGHUP, SIGWINCH and SIGCONT do nothing but to be told here, in order; 0: none.
  // kUnavailable: no descriptors left.
  Status take_signals();
  bool has_signal() const { return !signals_.empty(); }
  // Of those that tell a program to stop; a window that is made larger stops nothing.
  std::size_t stop_count() const;
  int next_signal();

  // Whether standard input has something to read, or is at its end. Asked for again and again while the loop is
  // turned; it is watched from the first time on until it has.
  bool has_input();

 private:
  Pump() = default;
  boost::asio::io_context& context() { return threads_.front()->context(); }
  void on_ready(const epoll_event* first, int count);
  void read_signals();

  SystemClock clock_;
  const Limits limits_{};
  IoThreads threads_;  // one, which is never started: its loop is turned here
  std::unique_ptr<HttpClients> clients_;
  using Guard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;
  std::unique_ptr<Guard> guard_;
  std::unique_ptr<HttpClientSockets> watched_;
  UniqueFd signal_fd_;
  std::deque<int> signals_;
  bool watches_input_ = false;
};

}  // namespace braidlog::terminal
