// People and programs that use the runs contract: they start runs, decide, interrupt, repeat themselves, change
// their minds and delete. What they are told is held against the log.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim_server.h"

namespace braidlog::sim {

class Clients {
 public:
  Clients(World& world, Checker& checker) : world_(world), checker_(checker) {}

  // One of them does something.
  void act(SimServer& server);
  // Somebody decides a pending approval. False when there is none.
  bool decide_one(SimServer& server);
  // Connections to that server are cut; nobody hears what became of the request.
  void server_gone(unsigned generation);
  // When nothing moves every request was answered, but for deletions: they wait for the end of a run.
  enum class When { kQuiet, kAllOver };
  void check_answered(When when) const;

  // A request that is answered as a whole, and held against what may be answered.
  using Then = std::function<void(const HttpResponse&)>;
  struct Request {
    Method method = Method::kGet;
    std::string path;
    std::string body = {};
    std::string user = "ann";
    std::vector<HttpHeader> headers = {};
  };
  void send(SimServer& server, Request request, Then then);

 private:
  struct Pending {
    std::shared_ptr<SimExchange> exchange;
    unsigned generation;
    std::string what;
  };
  void check_status(const Request& request, const HttpResponse& response, std::uint64_t troubles_before);

  void create_session(SimServer& server);
  void post_message(SimServer& server, SessionId session);
  void set_auto_approve(SimServer& server, SessionId session);
  void delete_session(SimServer& server, SessionId session);
  void interrupt(SimServer& server, const RunHistory& run);
  void decide(SimServer& server, const api::Approval& approval, Verdict verdict);
  void decide_any(SimServer& server);
  void look(SimServer& server, SessionId session);
  void intrude(SimServer& server, SessionId session);

  World& world_;
  Checker& checker_;
  std::vector<std::pair<std::string, std::string>> keys_;  // idempotency keys and the text they were used with
  std::vector<Pending> pending_;
};

}  // namespace braidlog::sim
