#include "server/metrics_handler.h"

namespace braidlog {

namespace {

constexpr std::size_t kBodyBytesMax = 1024;  // nobody has anything to say here

}  // namespace

HeadDecision MetricsHandler::on_head(const HttpRequest& head) {
  if (head.path != "/metrics") return operations_.error({ErrorCode::kUnknownRoute, "Not found", {}}, head.id);
  return TakeBody{kBodyBytesMax};
}

void MetricsHandler::on_request(std::shared_ptr<Exchange> exchange) {
  exchange->respond(operations_.answer(exchange->request()));
}

HttpResponse MetricsHandler::transport_error(int status, const HttpRequest& head) {
  HttpResponse response = operations_.error({ErrorCode::kMalformed, "The request cannot be answered", {}}, head.id);
  response.status = status;
  return response;
}

}  // namespace braidlog
