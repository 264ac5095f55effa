// Requests of our own to other servers. Answers are streams: bytes are handed on as they come, and nothing is collected
// here. Behind it are two clients: libcurl for what needs TLS, rules or a proxy, and one of our own for plain http
// (docs/adr/0016); which of them takes a request makes no difference to the caller.
//
// Connections are kept for the next request and shared by all calls of a thread. Redirects are not followed, there
// are no cookies, and nothing is sent that the request does not name but Host, User-Agent, Accept and the body's
// length. A proxy is taken from the environment as by curl itself (https_proxy, no_proxy, …): an operator behind one
// expects that, and loopback stays direct by no_proxy. There is no limit on how long an answer takes: whoever asked
// knows what silence means.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/loop.h"
#include "base/result.h"
#include "net/io_thread.h"
#include "net/outbound_rules.h"
#include "wire/http.h"

namespace braidlog {

struct OutgoingRequest {
  Method method = Method::kPost;
  std::string url;
  std::vector<HttpHeader> headers;  // names and values without line ends
  std::string body;
  // None: the operator named this server. Else the address is judged when the connection is made; it is a connection
  // for this request alone, and no proxy of the environment stands in between.
  OutboundRulesPtr rules{};
};

// Valid only inside on_head().
class ResponseHead {
 public:
  virtual ~ResponseHead() = default;
  virtual int status() const = 0;
  // Of the last header of that name; empty when there is none.
  virtual std::string_view header(const char* name) const = 0;
};

enum class CallEnd {
  kComplete,        // the whole answer was received
  kNotReached,      // no such host, nobody listens, or TLS was not agreed on
  kRefused,         // the rules of the request do not allow its address
  kConnectTimeout,  // nobody answered in time
  kCut,             // the connection went before the answer was complete, or what came is no HTTP
};

// Takes the answer. on_head once, then on_bytes, then on_done, which is the last; on_done alone when there was no
// answer. No call comes from inside HttpClient::send(), nor after the HttpCall was destroyed.
class HttpCallSink {
 public:
  virtual ~HttpCallSink() = default;
  virtual void on_head(const ResponseHead& head) = 0;
  virtual void on_bytes(std::string_view bytes) = 0;
  virtual void on_done(CallEnd end) = 0;
};

// A request under way. Destroying it, from inside a callback too, ends it at once: an unfinished answer's connection
// is closed. It may outlive the client.
class HttpCall {
 public:
  virtual ~HttpCall() = default;
};

// Runs on: one io thread, which also destroys it, unless that thread has ended.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // `sink` outlives the returned call. Above the limit of connections a request waits for one; those of plain http are
  // counted apart.
  [[nodiscard]] virtual std::unique_ptr<HttpCall> send(OutgoingRequest request, HttpCallSink& sink) = 0;
};

// One client for each io thread. Made before the threads start, destroyed after they ended and before they are.
class HttpClients {
 public:
  // kGeneralOnly: everything by libcurl, plain http too. Tests hold the two against each other with it.
  enum class Kind { kChosenByRequest, kGeneralOnly };
  // kUnavailable: no descriptors left. Without threads there are no clients: for who makes models and never runs them.
  static Result<std::unique_ptr<HttpClients>> make(const IoThreads& threads, const Limits& limits,
                                                   Kind kind = Kind::kChosenByRequest);
  ~HttpClients();

  // The client of this loop, which is one of the threads it was made for.
  HttpClient& on(const Loop& loop);
  std::size_t count() const { return clients_.size(); }

 private:
  HttpClients();

  std::vector<std::unique_ptr<HttpClient>> clients_;
};

}  // namespace braidlog
