// The listener of --metrics-listen: answers GET /metrics to whoever can reach it, without a credential, and nothing
// else. Immutable; used by all io threads.
#pragma once

#include "net/exchange.h"
#include "server/operations.h"

namespace braidlog {

class MetricsHandler final : public HttpHandler {
 public:
  // Outlives this.
  explicit MetricsHandler(const Operations& operations) : operations_(operations) {}

  HeadDecision on_head(const HttpRequest& head) override;
  void on_request(std::shared_ptr<Exchange> exchange) override;
  HttpResponse transport_error(int status, const HttpRequest& head) override;

 private:
  const Operations& operations_;
};

}  // namespace braidlog
