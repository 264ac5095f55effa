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

struct ServerContext {
  ServerContext(HttpHandler& h, const Limits& l);
  ~ServerContext();

  HttpHandler& handler;  // not to be called once the shards are closed
  const Limits limits;
  NetStats stats;
  std::atomic<bool> draining{false};
  std::vector<std::unique_ptr<ConnectionShard>> shards;  // constant after construction of the server; one per io thread
};

}  // namespace braidlog
