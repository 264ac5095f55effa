#include "net/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/environment.h"
#include "net/curl_client.h"
#include "net/environment_proxy.h"
#include "net/plain_client.h"
#include "net/plain_request.h"

namespace braidlog {

namespace {

// Gives each request to the client that is made for it.
class ChoosingClient final : public HttpClient {
 public:
  ChoosingClient(std::unique_ptr<HttpClient> general, std::unique_ptr<PlainClient> plain)
      : general_(std::move(general)), plain_(std::move(plain)) {}

  std::unique_ptr<HttpCall> send(OutgoingRequest request, HttpCallSink& sink) override {
    auto plain = PlainRequest::of(request);
    if (!plain) return general_->send(std::move(request), sink);
    // The environment is asked for every request, as libcurl does.
    if (is_asked_directly(plain->host, process_environment)) {
      return plain_->send(std::move(*plain), sink);
    }
    request.body = std::move(plain->body);
    return general_->send(std::move(request), sink);
  }

 private:
  const std::unique_ptr<HttpClient> general_;
  const std::unique_ptr<PlainClient> plain_;
};

}  // namespace

HttpClients::HttpClients() {
  BRAIDLOG_CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
}

HttpClients::~HttpClients() {
  clients_.clear();
  curl_global_cleanup();
}

Result<std::unique_ptr<HttpClients>> HttpClients::make(const IoThreads& threads, const Limits& limits, Kind kind) {
  std::unique_ptr<HttpClients> clients(new HttpClients());
  for (const auto& thread : threads) {
    const auto share = std::max<std::size_t>(1, limits.upstream_connections_max / threads.size());
    auto general = make_curl_client(thread->context(), limits, share);
    if (!general) return fail(general.error());
    if (kind == Kind::kGeneralOnly) {
      clients->clients_.push_back(std::move(*general));
      continue;
    }
    auto plain = PlainClient::make(thread->context(), limits, share, {});
    if (!plain) return fail(plain.error());
    clients->clients_.push_back(std::make_unique<ChoosingClient>(std::move(*general), std::move(*plain)));
  }
  return clients;
}

HttpClient& HttpClients::on(const Loop& loop) {
  BRAIDLOG_CHECK(loop.index() < clients_.size());
  return *clients_[loop.index()];
}

}  // namespace braidlog
