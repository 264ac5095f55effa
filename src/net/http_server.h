// Accepts connections and serves HTTP/1.1 on them: one listener, connections dealt out to the io threads in turn.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "net/exchange.h"
#include "net/io_thread.h"

namespace braidlog {

// What the net layer counts, for /metrics, as it is at one moment.
struct NetStats {
  std::int64_t connections_open = 0;
  std::int64_t streams_open = 0;
  std::int64_t body_bytes_in_flight = 0;
  std::uint64_t connections_accepted = 0;
  std::uint64_t requests = 0;
  std::uint64_t bad_requests = 0;  // answered through transport_error()
  std::uint64_t streams_stalled = 0;
  std::uint64_t bytes_sent = 0;
};

class HttpServer {
 public:
  // `handler` and `threads` outlive the server. `threads` are started by their owner.
  HttpServer(IoThreads& threads, HttpHandler& handler, const Limits& limits);
  // Closes all connections and waits for that; observers of open streams hear on_closed() on their threads, or here
  // when the threads have ended. Not from an io thread.
  ~HttpServer();

  // Binds and begins to accept, once. kUnavailable with one clear line when the address cannot be had.
  Status listen(const std::string& host, std::uint16_t port);
  // The port in use, after listen() with port 0.
  std::uint16_t port() const;

  // Stops accepting; open connections are told to close after their current response. From any thread.
  void stop_accepting();

  // From any thread.
  NetStats stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace braidlog
