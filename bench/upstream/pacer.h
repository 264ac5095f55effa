// Streams that get a token every so many milliseconds.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "upstream/completion.h"
#include "upstream/plan.h"
#include "wire/http_server.h"

namespace bench {

class Pacer {
 public:
  // Sends the opening and the first token now, the rest when they are due.
  void begin(ServerConnection& client, std::string_view model, const Plan& plan);

  // Sends what is due. How long until the next token, in nanoseconds; < 0 when no stream is open.
  std::int64_t send_due();

  std::uint64_t tokens_sent() const { return tokens_sent_; }

 private:
  struct Stream {
    std::int64_t due_ns = 0;
    std::weak_ptr<ServerConnection> client;
    std::uint64_t tokens_left = 0;
  };
  // All streams of one model have one pace, and each goes to the back when it was served: the queue is always in the
  // order of the due times, so no heap is needed.
  struct Lane {
    PacedCompletion completion;
    Plan plan;
    std::deque<Stream> streams;
  };

  void serve_front(Lane& lane, std::int64_t now_ns);

  std::map<std::string, Lane, std::less<>> lanes_;
  std::uint64_t tokens_sent_ = 0;
};

}  // namespace bench
