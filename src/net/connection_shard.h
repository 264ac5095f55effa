// The connections of one io thread, and what they share: a buffer to read into, the date, and one timer for all
// their timeouts. A timer per connection would cost memory and a heap operation per request; one walk over the list
// per second costs neither.
//
// Runs on: its io thread, all of it but the constructor and bytes_sent().
#pragma once

#include <array>
#include <atomic>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/ids.h"
#include "base/limits.h"
#include "net/http_connection.h"
#include "net/io_thread.h"
#include "net/response_head.h"

namespace braidlog {

class ConnectionShard {
 public:
  ConnectionShard(IoThread& thread, const Limits& limits);

  // Begins to look after timeouts.
  void start();
  // The list owns its connections.
  void add(std::shared_ptr<HttpConnection> connection);
  void remove(HttpConnection& connection);

  // Tells every connection to close after its current response; idle ones close now.
  void drain();
  // Closes everything, now and whatever comes later.
  void close();
  bool is_closed() const { return is_closed_; }

  IoThread& thread() { return thread_; }
  MonoTime now() const { return thread_.clock().mono(); }
  std::string_view date() { return date_.text(thread_.clock().wall()); }
  RequestId next_request_id() { return ids_.make<RequestId>(); }
  // For one read at a time; what must last longer is copied.
  std::span<char> scratch() { return *scratch_; }

  // Counted here and not where all threads count: that would be a line of memory they take from each other with every
  // token. Only this thread writes it.
  void count_sent(std::size_t bytes) {
    bytes_sent_.store(bytes_sent_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  }
  std::uint64_t bytes_sent() const { return bytes_sent_.load(std::memory_order_relaxed); }

 private:
  void schedule_sweep();
  void sweep();

  IoThread& thread_;
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::chrono::milliseconds sweep_interval_;
  boost::intrusive::list<HttpConnection> connections_;
  Timer sweep_timer_;
  HttpDate date_;
  IdSource ids_;
  std::unique_ptr<std::array<char, 64 * 1024>> scratch_;
  bool is_closed_ = false;
};

}  // namespace braidlog
