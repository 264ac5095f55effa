// Who people are: names the user behind a request from memory, and lets people log in and out. The store has the truth;
// the table in memory follows it, also when a command of the binary has changed it (reload()).
//
// Thread-safe. Authenticator answers at once; what needs the store or checks a password goes to the worker pool.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "auth/identity_table.h"
#include "auth/login_gate.h"
#include "auth/turnstile.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/thread_annotations.h"
#include "port/accounts.h"
#include "port/authenticator.h"
#include "port/identity_store.h"

namespace braidlog::auth {

class Identities final : public Authenticator, public Accounts {
 public:
  // Called with the id of a cookie or key (api::Caller::credential) once it is no longer good: logged out, revoked, out
  // of time, its user disabled. On any thread.
  using OnEnded = std::function<void(const std::string& credential)>;

  // All outlive this, and this outlives what it gave to the pool. `dev`: there is a user demo with the password demo,
  // who is also everybody that shows nothing.
  Identities(IdentityStore& store, WorkerPool& pool, const Clock& clock, const Limits& limits, bool dev);

  // Before the first request, and before load().
  void when_ended(OnEnded on_ended) { on_ended_ = std::move(on_ended); }

  Result<api::Caller> authenticate(const Credentials& credentials) const override;
  bool is_still_good(const api::Caller& caller) const override;
  void log_in(api::LogIn command, Loop& back, api::Reply<api::LoggedIn> reply) override;
  void log_out(const std::string& credential, Loop& back, api::Reply<api::LoggedOut> reply) override;

  // Ends what has run out of time. From any thread; does not block.
  void end_expired();

  // ---- these block: at start and stop, and on the worker pool ----

  // Writes down what was used, then reads everything anew and ends what is gone. How many users there are.
  Result<std::size_t> reload();
  // Writes down what was used and takes out of the store what has run out of time. Once in a while, and at the end.
  Status write_down();

 private:
  Result<api::LoggedIn> check_and_log_in(const api::LogIn& command, const LoginGate::Try& attempt);
  Result<UserRecord> check(const api::LogIn& command) const;
  Result<api::LoggedIn> make_login(const UserRecord& user);
  Status write_uses() REQUIRES(store_mutex_);
  void tell_ended(const std::vector<std::string>& credentials) const;

  WorkerPool& pool_;
  const Clock& clock_;
  const Limits limits_;
  const bool dev_;
  OnEnded on_ended_;
  mutable IdentityTable table_;  // a look remembers that the credential was used
  LoginGate gate_;
  Turnstile turnstile_;

  // The store and the table change together under this, so that a reload never brings back what has just gone.
  Mutex store_mutex_;
  IdentityStore& store_ GUARDED_BY(store_mutex_);
  IdSource ids_ GUARDED_BY(store_mutex_);
};

}  // namespace braidlog::auth
