// A server that is an HTTP address. Every message is a request of its own; what answers it comes back in the response,
// as JSON or as a stream. In the legacy era there is a session, which the server names in its first answer and which we
// give up at the end; a stream that breaks there is taken up with the id of its last event. Runs on: the MCP thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/http_client.h"
#include "tool/mcp/farewells.h"
#include "tool/mcp/http_exchange.h"
#include "tool/mcp/link.h"

namespace braidlog::tool::mcp {

struct HttpPlan {
  std::string url;
  std::vector<HttpHeader> headers;  // the operator's own
  OutboundRulesPtr rules;
};

class HttpLink final : public Link, private ExchangeOwner {
 public:
  struct Place {
    IoThread& loop;
    HttpClients& clients;
    Farewells& farewells;
    std::string server;  // for log lines
    std::size_t message_bytes_max = 0;
  };
  HttpLink(const HttpPlan& plan, LinkOwner& owner, Place place);
  ~HttpLink() override;

  void send(OutgoingMessage message) override;
  bool forget(std::int64_t id) override;
  void speak(Era era) override;
  void listen() override;
  std::string last_words() const override { return {}; }

 private:
  void on_head(HttpExchange& exchange, const ResponseHead& head) override;
  void on_text(HttpExchange& exchange, std::string_view text) override;
  void on_end(HttpExchange& exchange, ExchangeEnd end) override;

  OutgoingRequest outline(Method method) const;
  std::shared_ptr<HttpExchange> make_exchange(HttpExchange::Kind kind, std::int64_t request);
  void open(std::shared_ptr<HttpExchange> exchange, OutgoingRequest request);
  void erase(HttpExchange& exchange);
  // False: too many wait for the server to take them, and no more are sent.
  bool has_room_for_notice();
  void lose(HttpExchange& exchange, ExchangeEnd end);
  void refuse(HttpExchange& exchange, ExchangeEnd end);
  // True: the stream of this request's answer will be taken up.
  bool resume(HttpExchange& exchange);
  void take_up(std::int64_t request, std::string last_event, int resumed);
  void listen_again(const HttpExchange& exchange, const ExchangeEnd& end);

  const HttpPlan& plan_;
  LinkOwner& owner_;
  Place place_;
  Era era_ = Era::kUnknown;
  std::string session_, version_;
  std::map<HttpExchange*, std::shared_ptr<HttpExchange>> exchanges_;
  std::map<std::int64_t, Timer> resuming_;  // by request
  Timer listening_again_;
  bool has_listened_ = false;
  bool is_dropping_ = false;  // notices, and has said so
  std::chrono::milliseconds listen_delay_;
};

}  // namespace braidlog::tool::mcp
