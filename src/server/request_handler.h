// Every request comes through here, and is looked at in this order: Host and other sites (403), route (404), method
// (405), credential (401, 403), body limit (413), then the dialect's handler, whose answer is carried out. Immutable
// after construction and used by all io threads; what belongs to one thread is in its ServerThread.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/limits.h"
#include "engine/service.h"
#include "net/exchange.h"
#include "port/authenticator.h"
#include "server/operations.h"
#include "server/route_table.h"
#include "server/site_guard.h"
#include "server/stream_hub.h"
#include "server/trusted_proxies.h"
#include "server/watch_hub.h"

namespace braidlog {

// What each io thread has of its own.
struct ServerThread {
  api::Service& service;
  StreamHub& hub;
  WatchHub& watches;
};

class RequestHandler final : public HttpHandler {
 public:
  // All outlive the handler. `threads[i]` belongs to the io thread with index i. Requests with large bodies are read on
  // `pool`, so that the thread goes on meanwhile; without one they are read at once.
  RequestHandler(std::vector<const Dialect*> dialects, const Authenticator& authenticator, const Shards& shards,
                 std::vector<ServerThread> threads, const Operations& operations, const SiteGuard& guard,
                 const Limits& limits, TrustedProxies proxies = {}, WorkerPool* pool = nullptr);

  HeadDecision on_head(const HttpRequest& head) override;
  void on_request(std::shared_ptr<Exchange> exchange) override;
  HttpResponse transport_error(int status, const HttpRequest& head) override;

 private:
  struct Context {
    std::shared_ptr<Exchange> exchange;
    const Dialect* dialect;
    api::Caller caller;
  };
  HeadDecision decide(const HttpRequest& head) const;
  void let_read(const HttpRequest& head, std::vector<HttpHeader>& headers) const;
  Result<api::Caller> authenticate(const HttpRequest& head, const ClientInfo& client, Access access) const;
  void read_on_pool(Context context, RouteMatch match, ClientInfo client);
  void carry_out(Context context, Answer answer);
  void open_stream(Context context, OpenStream stream);
  void open_watch(Context context, OpenWatch watch);
  void await_run(Context context, AwaitRun run);
  void at_hub(Context context, RunId run_id, UniqueFunction<void(StreamHub&, StreamHub::Request)> then);
  const Dialect* named(std::string_view dialect) const;
  // Whose shape an error has that is found before the handler runs: the route's, else that of the path.
  const Dialect& speaker_for(const HttpRequest& head) const;
  ServerThread& thread_of(Exchange& exchange) { return threads_[exchange.loop().index()]; }

  std::vector<const Dialect*> dialects_;
  RouteTable routes_;
  const Authenticator& authenticator_;
  const Shards& shards_;
  std::vector<ServerThread> threads_;
  const Operations& operations_;
  const SiteGuard& guard_;
  const Limits& limits_;
  const TrustedProxies proxies_;
  WorkerPool* pool_;
};

}  // namespace braidlog
