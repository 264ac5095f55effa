// Users and what they show to be known: passwords, cookies, keys. Who a request is from is the Authenticator's answer;
// here clients come and go. Runs on: any io thread; replies come on `back`. Passwords are checked off the loop.
#pragma once

#include "api/service.h"
#include "base/loop.h"

namespace braidlog {

class Accounts {
 public:
  virtual ~Accounts() = default;
  // As api/account.h says.
  virtual void log_in(api::LogIn command, Loop& back, api::Reply<api::LoggedIn> reply) = 0;
  // Ends the cookie `credential` (api::Caller), durably, and then its live streams.
  virtual void log_out(const std::string& credential, Loop& back, api::Reply<api::LoggedOut> reply) = 0;
};

}  // namespace braidlog
