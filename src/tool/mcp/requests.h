// Our requests that have no answer yet, each with its patience. Runs on: the MCP thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <variant>

#include "base/loop.h"
#include "tool/mcp/link.h"

namespace braidlog::tool::mcp {

// The result, the server's error, or why there is neither.
using Answer = std::variant<json::value, RpcError, Lost>;
using OnAnswer = UniqueFunction<void(Answer)>;

struct Patience {
  std::chrono::milliseconds silence{0};  // 0: for ever
  std::chrono::milliseconds total{0};    // however often the silence was broken
};

class Requests {
 public:
  // `on_timeout` is told before the request's own callback, while it can still be cancelled at the server.
  Requests(Loop& loop, UniqueFunction<void(std::int64_t)> on_timeout);

  // Gives its id. `on_answer` comes once, unless it is forgotten.
  std::int64_t open(Patience patience, OnAnswer on_answer);
  // Its patience begins anew.
  void extend(std::int64_t id);
  // Unknown ids do nothing: answers may come twice, or late.
  void answer(std::int64_t id, Answer answer);
  void forget(std::int64_t id) { open_.erase(id); }
  bool has(std::int64_t id) const { return open_.contains(id); }
  void lose_all(const Lost& lost);

 private:
  struct Open {
    OnAnswer on_answer;
    Patience patience;
    std::int64_t deadline_ms = 0;  // of the total
    Timer timer;
  };
  void arm(std::int64_t id, Open& open);
  void time_out(std::int64_t id);

  Loop& loop_;
  UniqueFunction<void(std::int64_t)> on_timeout_;
  std::int64_t next_ = 1;
  std::map<std::int64_t, Open> open_;
};

}  // namespace braidlog::tool::mcp
