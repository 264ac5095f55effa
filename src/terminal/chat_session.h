// The conversation that a chat is in: made with the first message, so that who only looks in leaves nothing behind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/json.h"
#include "terminal/client.h"
#include "terminal/screen.h"

namespace braidlog::terminal {

struct AgentRow {
  std::string name, description;  // safe to show
};

class ChatSession {
 public:
  ChatSession(Client& client, Screen& screen, std::string agent);

  // One line for people where the server is not there, refuses or has no such agent.
  Status greet();
  // Goes on with this one. Gives the run that is under way there, if there is one.
  Result<std::optional<std::string>> resume(const std::string& session_id);
  // The next message begins another session; an empty name keeps the agent.
  Status renew(const std::string& agent);

  // The id of the run that the message began. It is sent again over a lost connection and begins one run all the same.
  // kCancelled: the person did not want to wait; else one line for people.
  Result<std::string> send(const std::string& message);

  const std::vector<AgentRow>& agents() const { return agents_; }
  const std::string& id() const { return id_; }        // empty: none yet
  const std::string& agent() const { return agent_; }  // empty: not known yet

 private:
  bool knows(const std::string& agent) const;
  Reply ask_once(const std::string& path);
  Result<Reply> ask_patiently(const OutgoingRequest& request);
  Status make();

  Client& client_;
  Screen& screen_;
  SystemClock clock_;
  IdSource ids_{clock_};
  std::vector<AgentRow> agents_;
  std::string agent_, id_;
};

}  // namespace braidlog::terminal
