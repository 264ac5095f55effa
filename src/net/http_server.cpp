#include "net/http_server.h"

#include <utility>

#include "base/check.h"
#include "net/connection_shard.h"
#include "net/listener.h"
#include "net/server_context.h"

namespace braidlog {

ServerContext::ServerContext(HttpHandler& h, const Limits& l) : handler(h), limits(l) {}
ServerContext::~ServerContext() = default;

class HttpServer::Impl {
 public:
  Impl(IoThreads& threads, HttpHandler& handler, const Limits& limits)
      : threads_(threads), context_(std::make_shared<ServerContext>(handler, limits)) {
    BRAIDLOG_CHECK(!threads.empty());
    for (auto& thread : threads) context_->shards.push_back(std::make_unique<ConnectionShard>(*thread, limits));
  }

  // Each part is closed on its own thread. A connection that is on its way between two threads meanwhile finds its
  // shard closed on arrival.
  ~Impl() {
    context_->draining = true;
    threads_.front()->run_and_wait([this] {
      if (listener_) listener_->close();
    });
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      threads_[i]->run_and_wait([this, i] { context_->shards[i]->close(); });
    }
  }

  Status listen(const std::string& host, std::uint16_t port) {
    BRAIDLOG_CHECK(!listener_);
    auto listener = std::make_shared<Listener>(context_, *threads_.front());
    if (auto status = listener->bind(host, port); !status) return status;
    listener_ = std::move(listener);
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      threads_[i]->post([context = context_, i] {
        if (!context->shards[i]->is_closed()) context->shards[i]->start();
      });
    }
    threads_.front()->post([listener = listener_] { listener->start(); });
    return {};
  }

  std::uint16_t port() const { return listener_ ? listener_->port() : 0; }

  void stop_accepting() {
    context_->draining = true;
    if (listener_) threads_.front()->post([listener = listener_] { listener->close(); });
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      threads_[i]->post([context = context_, i] { context->shards[i]->drain(); });
    }
  }

  NetStats stats() const {
    const NetCounters& now = context_->stats;
    NetStats stats{.connections_open = now.connections_open,
                   .streams_open = now.streams_open,
                   .body_bytes_in_flight = now.body_bytes_in_flight,
                   .connections_accepted = now.connections_accepted,
                   .requests = now.requests,
                   .bad_requests = now.bad_requests,
                   .streams_stalled = now.streams_stalled};
    for (const auto& shard : context_->shards) stats.bytes_sent += shard->bytes_sent();
    return stats;
  }

 private:
  IoThreads& threads_;
  std::shared_ptr<ServerContext> context_;
  std::shared_ptr<Listener> listener_;
};

HttpServer::HttpServer(IoThreads& threads, HttpHandler& handler, const Limits& limits)
    : impl_(std::make_unique<Impl>(threads, handler, limits)) {}
HttpServer::~HttpServer() = default;
Status HttpServer::listen(const std::string& host, std::uint16_t port) {
  return impl_->listen(host, port);
}
std::uint16_t HttpServer::port() const {
  return impl_->port();
}
void HttpServer::stop_accepting() {
  impl_->stop_accepting();
}
NetStats HttpServer::stats() const {
  return impl_->stats();
}

}  // namespace braidlog
