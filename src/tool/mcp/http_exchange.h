// One HTTP request of a link and what answers it: a JSON text, or a stream of events with one text in each. Runs on:
// the MCP thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "net/http_client.h"
#include "wire/sse.h"

namespace braidlog::tool::mcp {

class HttpExchange;

struct ExchangeEnd {
  enum class Kind {
    kComplete,    // the answer came to its end
    kStatus,      // another status than 2xx; `status` and the beginning of the body
    kNotReached,  // nobody got the request
    kForbidden,   // the outbound rules do not allow the address
    kCut,         // the answer, or the wait for it, ended before its time
    kTooLarge,
  };
  Kind kind = Kind::kComplete;
  int status = 0;
  std::string body{};
};

// None of these is called from inside start(). All of them may close the exchange.
class ExchangeOwner {
 public:
  virtual ~ExchangeOwner() = default;
  virtual void on_head(HttpExchange& exchange, const ResponseHead& head) = 0;
  virtual void on_text(HttpExchange& exchange, std::string_view text) = 0;
  // The last call.
  virtual void on_end(HttpExchange& exchange, ExchangeEnd end) = 0;
};

class HttpExchange final : public HttpCallSink, public std::enable_shared_from_this<HttpExchange> {
 public:
  enum class Kind { kRequest, kNotice, kListening };

  HttpExchange(Kind kind, std::int64_t request, ExchangeOwner& owner, std::size_t text_bytes_max)
      : kind(kind), request(request), owner_(owner), text_bytes_max_(text_bytes_max), events_(text_bytes_max) {}

  void start(HttpClient& client, OutgoingRequest request) { call_ = client.send(std::move(request), *this); }
  // The connection is closed and the owner hears nothing more.
  void close();

  const Kind kind;
  const std::int64_t request;  // which message it carries; 0: none that is answered
  std::string last_event;      // the id of the last event, with which a broken stream can be taken up
  std::size_t texts = 0;       // how many came
  int resumed = 0;             // how often in a row nothing came
  Timer patience{};            // of its owner, for as long as the exchange lives

 private:
  void on_head(const ResponseHead& head) override;
  void on_bytes(std::string_view bytes) override;
  void on_done(CallEnd end) override;
  void end_with(ExchangeEnd end);

  ExchangeOwner& owner_;
  const std::size_t text_bytes_max_;
  SseReader events_;
  std::unique_ptr<HttpCall> call_;
  int status_ = 0;
  bool is_stream_ = false;
  bool closed_ = false;
  std::string body_;
};

}  // namespace braidlog::tool::mcp
