// A model service that costs next to nothing: POST /v1/chat/completions answers with a stream as plan.h describes, GET
// of anything tells what has been served.
//
//   upstream --core 1 [--port 0]
//
// prints "listening PORT" and serves until it is killed.
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "upstream/completion.h"
#include "upstream/pacer.h"
#include "upstream/plan.h"
#include "wire/flags.h"
#include "wire/http_server.h"
#include "wire/socket.h"

namespace {

class Upstream {
 public:
  explicit Upstream(std::uint16_t port)
      : server_(poller_, port, [this](auto& client, const auto& request) { answer(client, request); }) {}

  std::uint16_t port() const { return server_.port(); }

  [[noreturn]] void serve() {
    while (true) server_.round(pacer_.send_due());
  }

 private:
  void answer(bench::ServerConnection& client, const bench::Request& request) {
    if (request.first_line.starts_with("GET ")) return client.send(bench::json_response(stats()));
    const std::string_view model = bench::model_of(request.body);
    const auto plan = bench::parse_plan(model);
    if (!plan) {
      return client.send(bench::json_response(R"({"error":{"message":"no such model"}})", "404 Not Found"));
    }
    ++requests_;
    if (plan->interval_ms > 0) return pacer_.begin(client, model, *plan);
    burst_tokens_ += plan->tokens;
    client.send_shared(burst(model, plan->tokens));
  }

  std::shared_ptr<const std::string> burst(std::string_view model, std::uint64_t tokens) {
    auto found = bursts_.find(model);
    if (found == bursts_.end()) {
      auto bytes = std::make_shared<const std::string>(bench::whole_completion(model, tokens));
      found = bursts_.emplace(std::string(model), std::move(bytes)).first;
    }
    return found->second;
  }

  std::string stats() const {
    return "{\"requests\":" + std::to_string(requests_) +
           ",\"tokens\":" + std::to_string(burst_tokens_ + pacer_.tokens_sent()) +
           ",\"connections\":" + std::to_string(server_.connections()) + "}";
  }

  bench::Poller poller_;
  bench::HttpServer server_;
  bench::Pacer pacer_;
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> bursts_;
  std::uint64_t requests_ = 0;
  std::uint64_t burst_tokens_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Flags flags(argc, argv);
  bench::raise_descriptor_limit();
  if (flags.has("core")) bench::pin_to_core(static_cast<int>(flags.number("core")));
  Upstream upstream(static_cast<std::uint16_t>(flags.number("port")));
  std::printf("listening %u\n", upstream.port());
  std::fflush(stdout);
  upstream.serve();
}
