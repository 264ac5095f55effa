// Logging in and out. Users and keys are made on the command line; over HTTP a client only comes and goes.
#pragma once

#include <chrono>
#include <string>

namespace braidlog::api {

struct Me {
  std::string user_id;
  std::string username;
  bool is_admin = false;
};

struct LoggedIn {
  Me me;
  std::string token;  // the cookie's secret, told this once
  std::chrono::seconds lifetime{0};
};
// kUnauthorized for a wrong name or password, which look the same; kRateLimited with seconds as the subject after too
// many wrong ones.
struct LogIn {
  using ReplyValue = LoggedIn;
  std::string username;
  std::string password;
  std::string address;  // of the client, for the throttle
};

// Ends the caller's cookie, with its live streams. A caller without cookie changes nothing.
struct LoggedOut {};
struct LogOut {
  using ReplyValue = LoggedOut;
};

struct GetMe {
  using ReplyValue = Me;
};

}  // namespace braidlog::api
