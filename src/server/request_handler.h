// Every request comes through here: route, credential, body limit, then the dialect's handler, whose answer is carried
// out. Immutable after construction and used by all io threads; what belongs to one thread is in its ServerThread.
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

namespace braidlog {

// What each io thread has of its own.
struct ServerThread {
  api::Service& service;
  StreamHub& hub;
};

class RequestHandler final : public HttpHandler {
 public:
  // All outlive the handler. `threads[i]` belongs to the io thread with index i.
  RequestHandler(std::vector<const Dialect*> dialects, const Authenticator& authenticator, const Shards& shards,
                 std::vector<ServerThread> threads, const Operations& operations, const SiteGuard& guard,
                 const Limits& limits);

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
  void let_read(const HttpRequest& head, HttpResponse& response) const;
  Result<api::Caller> authenticate(const HttpRequest& head, Access access) const;
  void carry_out(Context context, Answer answer);
  void open_stream(Context context, OpenStream stream);
  const Dialect& owner_of(std::string_view path) const;
  ServerThread& thread_of(Exchange& exchange) { return threads_[exchange.loop().index()]; }

  std::vector<const Dialect*> dialects_;
  RouteTable routes_;
  const Authenticator& authenticator_;
  const Shards& shards_;
  std::vector<ServerThread> threads_;
  const Operations& operations_;
  const SiteGuard& guard_;
  const Limits& limits_;
};

}  // namespace braidlog
