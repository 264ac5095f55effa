#include "auth/identities.h"

#include <memory>
#include <utility>

#include "auth/password.h"
#include "auth/user_name.h"
#include "wire/cookie.h"
#include "wire/http.h"

namespace braidlog::auth {

namespace {

using api::CredentialKind;

constexpr std::size_t kChecksAtOnce = 2;     // each takes 64 MiB and a core for some 50 ms
constexpr std::size_t kCookiesLookedAt = 8;  // of one request

auto unauthorized() {
  return fail(ErrorCode::kUnauthorized, "Authentication required");
}

// The key of "Bearer KEY", or nothing.
std::string_view bearer_key(std::string_view authorization) {
  const auto space = authorization.find(' ');
  if (space == std::string_view::npos || !equals_ignoring_case(authorization.substr(0, space), "Bearer")) return {};
  const auto from = authorization.find_first_not_of(' ', space);
  return from == std::string_view::npos ? std::string_view() : authorization.substr(from);
}

// Gives the answer on the loop that wants it.
template <class T>
void answer(Loop& back, api::Reply<T> reply, Result<T> result) {
  back.post([reply = std::move(reply), result = std::move(result)]() mutable { reply(std::move(result)); });
}

}  // namespace

Identities::Identities(IdentityStore& store, WorkerPool& pool, const Clock& clock, const Limits& limits, bool dev)
    : pool_(pool),
      clock_(clock),
      limits_(limits),
      dev_(dev),
      table_({limits.cookie_idle_time, limits.cookie_life_time, dev}),
      gate_(limits),
      turnstile_(pool, {.running_max = kChecksAtOnce, .waiting_max = limits.logins_waiting_max}),
      store_(store),
      ids_(clock) {}

// ---- who is it ----

Result<api::Caller> Identities::authenticate(const Credentials& credentials) const {
  const WallTime now = clock_.wall();
  if (credentials.authorization) {
    const auto key = bearer_key(*credentials.authorization);
    auto caller = is_key(key) ? table_.find(CredentialKind::kKey, hash_of(key), now) : std::nullopt;
    if (!caller) return unauthorized();
    return *caller;
  }
  std::size_t looks = 0;
  const auto look = [&](std::string_view name) -> std::optional<api::Caller> {
    for (const auto token : cookie_values(credentials.cookie, name)) {
      if (!is_token(token) || ++looks > kCookiesLookedAt) continue;
      if (auto caller = table_.find(CredentialKind::kCookie, hash_of(token), now)) return caller;
    }
    return std::nullopt;
  };
  if (auto caller = look(kSecureSessionCookie)) return *caller;
  // Over TLS the plain name may have been put there by somebody on the wire.
  if (!credentials.is_secure) {
    if (auto caller = look(kSessionCookie)) return *caller;
  }
  if (!dev_) return unauthorized();
  return api::Caller{.user_id = std::string(kDemo), .is_admin = true, .username = std::string(kDemo)};
}

bool Identities::is_still_good(const api::Caller& caller) const {
  return caller.kind == CredentialKind::kNone || table_.has(caller.credential);
}

// ---- coming ----

void Identities::log_in(api::LogIn command, Loop& back, api::Reply<api::LoggedIn> reply) {
  auto attempt = LoginGate::Try::of(command.username, command.address);
  if (auto looked = gate_.look(attempt, clock_.mono()); !looked) {
    return answer<api::LoggedIn>(back, std::move(reply), fail(looked.error()));
  }
  struct Waiting {
    api::LogIn command;
    LoginGate::Try attempt;
    api::Reply<api::LoggedIn> reply;
  };
  auto waiting = std::make_shared<Waiting>(Waiting{std::move(command), std::move(attempt), std::move(reply)});
  const bool entered = turnstile_.enter([this, waiting, &back] {
    answer(back, std::move(waiting->reply), check_and_log_in(waiting->command, waiting->attempt));
  });
  if (entered) return;
  answer<api::LoggedIn>(back, std::move(waiting->reply),
                        fail(ErrorCode::kUnavailable, "Too many people are logging in; try again"));
}

Result<api::LoggedIn> Identities::check_and_log_in(const api::LogIn& command, const LoginGate::Try& attempt) {
  // Only now is it counted: people who log in with the right password at the same moment are no attack.
  if (auto let_in = gate_.let_in(attempt, clock_.mono()); !let_in) return fail(let_in.error());
  auto user = check(command);
  auto logged_in = user ? make_login(*user) : Result<api::LoggedIn>(fail(user.error()));
  if (logged_in) {
    gate_.succeeded(attempt, clock_.mono());
  } else if (logged_in.error().code != ErrorCode::kUnauthorized) {
    gate_.take_back(attempt, clock_.mono());
  }
  return logged_in;
}

// Takes as long for a name that nobody has as for a wrong password.
Result<UserRecord> Identities::check(const api::LogIn& command) const {
  auto user = table_.user_named(command.username);
  const bool is_demo = user && user->id == kDemo;
  const auto fits = password_fits(user && !is_demo ? user->password_hash : kNobodysPassword, command.password);
  if (!fits) return fail(fits.error());
  if (!(is_demo ? command.password == kDemo : user && *fits)) {
    return fail(ErrorCode::kUnauthorized, "Wrong user name or password");
  }
  return std::move(*user);
}

Result<api::LoggedIn> Identities::make_login(const UserRecord& user) {
  const std::string token = make_token();
  std::vector<std::string> superfluous;
  {
    MutexLock lock(store_mutex_);
    const WallTime now = clock_.wall();
    const LoginRecord login{.id = "login_" + to_ulid(ids_.next()),
                            .token_hash = hash_of(token).text(),
                            .user_id = user.id,
                            .created_at = now,
                            .used_at = now};
    if (auto added = store_.add_login(login, user.password_hash); !added) return fail(added.error());
    table_.add(login);
    superfluous = table_.superfluous_logins(user.id, limits_.cookies_per_user_max);
    if (auto removed = store_.remove_logins(superfluous); !removed) superfluous.clear();
    for (const std::string& id : superfluous) table_.remove(id);
  }
  tell_ended(superfluous);
  return api::LoggedIn{.me = {user.id, user.name, user.is_admin},
                       .token = token,
                       .lifetime = std::chrono::duration_cast<std::chrono::seconds>(limits_.cookie_life_time)};
}

// ---- going ----

void Identities::log_out(const std::string& credential, Loop& back, api::Reply<api::LoggedOut> reply) {
  pool_.run([this, credential, &back, reply = std::move(reply)]() mutable {
    Status removed;
    {
      MutexLock lock(store_mutex_);
      const std::string ids[] = {credential};
      removed = store_.remove_logins(ids);
      if (removed) table_.remove(credential);
    }
    if (!removed) return answer<api::LoggedOut>(back, std::move(reply), fail(removed.error()));
    tell_ended({credential});
    answer<api::LoggedOut>(back, std::move(reply), api::LoggedOut{});
  });
}

void Identities::end_expired() {
  tell_ended(table_.remove_ended(clock_.wall()));
}

void Identities::tell_ended(const std::vector<std::string>& credentials) const {
  if (!on_ended_) return;
  for (const std::string& credential : credentials) on_ended_(credential);
}

// ---- table and store ----

Result<std::size_t> Identities::reload() {
  std::vector<std::string> ended;
  std::size_t users = 0;
  {
    MutexLock lock(store_mutex_);
    // A key that was revoked must go, also when the disk is full. What could not be written is still in the table.
    (void)write_uses();
    const auto records = store_.load();
    if (!records) return fail(records.error());
    users = records->users.size();
    ended = table_.replace(*records, clock_.wall());
  }
  tell_ended(ended);
  return users;
}

Status Identities::write_down() {
  MutexLock lock(store_mutex_);
  if (auto written = write_uses(); !written) return written;
  const WallTime now = clock_.wall();
  return store_.remove_logins_older_than({.created_at = {now.ms - limits_.cookie_life_time.count()},
                                          .used_at = {now.ms - limits_.cookie_idle_time.count()}});
}

Status Identities::write_uses() {
  return store_.note_uses(table_.take_uses());
}

}  // namespace braidlog::auth
