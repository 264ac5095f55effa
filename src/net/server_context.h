// What all parts of one HttpServer share. Held by shared_ptr: by the server, and by every connection, because a
// connection on its way between two threads may arrive after the server has gone.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/limits.h"
#include "net/exchange.h"
#include "net/http_server.h"

namespace braidlog {

class ConnectionShard;

// What NetStats shows, but for what each thread counts on its own.
struct NetCounters {
  std::atomic<std::int64_t> connections_open{0};
  std::atomic<std::int64_t> streams_open{0};
  std::atomic<std::int64_t> body_bytes_in_flight{0};
  std::atomic<std::uint64_t> connections_accepted{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> bad_requests{0};
  std::atomic<std::uint64_t> streams_stalled{0};
};

struct ServerContext {
  ServerContext(HttpHandler& h, const Limits& l);
  ~ServerContext();

  HttpHandler& handler;  // not to be called once the shards are closed
  const Limits limits;
  NetCounters stats;
  std::atomic<bool> draining{false};
  std::vector<std::unique_ptr<ConnectionShard>> shards;  // constant after construction of the server; one per io thread
};

}  // namespace braidlog
