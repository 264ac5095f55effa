// People who let agents work: they ask in the steps contract, plan and execute in the tasks contract, look at what came
// of it, stop it, and throw artifacts away.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clients.h"
#include "viewers.h"

namespace braidlog::sim {

class Workers {
 public:
  Workers(World& world, Checker& checker, Clients& clients, Viewers& viewers)
      : world_(world), checker_(checker), clients_(clients), viewers_(viewers) {}

  // One of them does something.
  void act(SimServer& server);
  void server_gone(unsigned generation);

 private:
  void create_session(SimServer& server);
  void ask(SimServer& server, SessionId session);
  void plan(SimServer& server, SessionId session);
  void execute(SimServer& server, SessionId session);
  void execute_unseen(SimServer& server, SessionId session);
  void interrupt(SimServer& server, SessionId session);
  void look(SimServer& server, SessionId session);
  void throw_away(SimServer& server, SessionId session);
  SessionId pick_session();
  std::optional<SessionId> with_pending_task() const;
  // A new key, or the one of before in this session: then it means the run of before.
  struct Key {
    SessionId session;
    std::string key, text;
  };
  Key key_for(SessionId session, bool executes, std::string text);

  World& world_;
  Checker& checker_;
  Clients& clients_;
  Viewers& viewers_;
  std::vector<Key> planned_, executed_;
  // Nobody reads what they bring.
  std::vector<std::pair<unsigned, std::shared_ptr<SimExchange>>> unseen_;
};

}  // namespace braidlog::sim
