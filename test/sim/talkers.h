// People who talk to agents through the chat and the conversation contract. A message is answered by a stream, which
// Viewers read, or as a whole when the run is over. In chat a message waits for its turn, and the run depends on
// whoever sent it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viewers.h"

namespace braidlog::sim {

class Talkers {
 public:
  Talkers(World& world, Checker& checker, Viewers& viewers) : world_(world), checker_(checker), viewers_(viewers) {}

  // One of them says something, leaves before the answer, or changes a title.
  void act(SimServer& server);
  void server_gone(unsigned generation);
  // When nothing moves: whoever has no answer waits for a run that is not over.
  void check_answered(const SimServer& server) const;

 private:
  struct Message {
    Checker::Said said;
    std::string agent;
  };
  Message new_message();
  void remember(const Message& message);
  void chat(SimServer& server, const Message& message, Attendance::Way way);
  void converse(SimServer& server, const Message& message, bool streamed);
  void rename(SimServer& server);
  void leave();

  struct Asked {
    std::shared_ptr<SimExchange> exchange;
    unsigned generation = 0;
    std::uint64_t troubles = 0;
    std::string text;  // of the message; empty: it is about no run
    bool in_chat = false;
  };
  void ask(SimServer& server, HttpRequest request, Asked asked);
  void on_answer(const Asked& asked, const HttpResponse& response);
  void check_answer(const Asked& asked, const HttpResponse& response);
  // Whether a run of these words ended in a way that such an answer tells.
  bool tells_the_end(const Asked& asked, const HttpResponse& response, const RunHistory& run) const;

  World& world_;
  Checker& checker_;
  Viewers& viewers_;
  std::vector<Message> said_;  // what can be said again: by a link, or with its key
  std::vector<Asked> asked_;
};

}  // namespace braidlog::sim
