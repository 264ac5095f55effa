// Requests to the server and what came of them, for commands that wait for the answer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "net/http_client.h"
#include "terminal/options.h"
#include "terminal/pump.h"

namespace braidlog::terminal {

struct Reply {
  enum class Kind {
    kAnswer,   // `status` and `body`
    kNobody,   // nobody listens there
    kLost,     // the connection went, or no answer came in time: whether the request was taken is unknown
    kStopped,  // the one who asked did not want to wait any longer
  };
  Kind kind = Kind::kLost;
  int status = 0;
  std::string body;

  bool is(int wanted) const { return kind == Kind::kAnswer && status == wanted; }
  // Worth to be asked again by itself: no answer, or one for the moment only.
  bool is_passing() const;
  // The body as an object; an empty one when it is none.
  json::object object() const;
};

// What the server says is wrong, in any contract's shape; else the status as a number. Safe to show, on one line.
std::string error_words(int status, std::string_view body);

class Client {
 public:
  // True: stop waiting.
  using Stop = std::function<bool()>;

  Client(Pump& pump, Endpoint endpoint) : pump_(pump), endpoint_(std::move(endpoint)) {}

  Pump& pump() const { return pump_; }
  // `path` begins with a slash; `body` is JSON, or empty.
  OutgoingRequest request(Method method, std::string_view path, std::string body = {}) const;
  Reply ask(OutgoingRequest request, const Stop& stop = {});
  Reply get(std::string_view path) { return ask(request(Method::kGet, path)); }

  // One line for people: why there is no good answer.
  std::string words_of(const Reply& reply) const;

 private:
  Pump& pump_;
  const Endpoint endpoint_;
};

}  // namespace braidlog::terminal
