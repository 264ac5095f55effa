// What the commands of the terminal are told. The command line is read in app/; here the values are good.
#pragma once

#include <cstddef>
#include <string>

namespace braidlog::terminal {

// The server to speak to.
struct Endpoint {
  std::string url;  // http://127.0.0.1:8000, without a slash at its end
  std::string key;  // empty: no credential
};

struct ChatOptions {
  Endpoint endpoint;
  std::string agent;    // empty: the server's choice
  std::string session;  // empty: a new one
  bool yes = false;     // every question is answered by yes
};

struct RunsOptions {
  enum class Verb { kList, kShow, kTail };
  Verb verb = Verb::kList;
  Endpoint endpoint;
  bool json = false;
  // list
  std::string status;  // empty: any
  std::size_t limit = 20;
  bool all = false;  // of everybody
  // show, tail
  std::string id;
  // tail
  std::string contract;  // empty: the log itself
  std::string from;      // an event id; what comes after it is shown
};

}  // namespace braidlog::terminal
