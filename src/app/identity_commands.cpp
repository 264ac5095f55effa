#include "app/identity_commands.h"

#include <algorithm>
#include <cstdio>

#include "app/identity_access.h"
#include "app/password_prompt.h"
#include "auth/password.h"
#include "auth/secret.h"
#include "auth/user_name.h"
#include "base/clock.h"
#include "base/ids.h"
#include "terminal/columns.h"

namespace braidlog::app {

namespace {

using Verb = IdentityCommand::Verb;

const char* state_of(const KeyRecord& key, bool owner_is_enabled, WallTime now) {
  if (key.revoked_at) return "revoked";
  if (key.expires_at && *key.expires_at <= now) return "expired";
  return owner_is_enabled ? "good" : "user disabled";
}

// Opened anew for every step: nobody holds the data folder while a person types.
class Session {
 public:
  explicit Session(const IdentityCommand& command) : command_(command) {}

  Status run() {
    switch (command_.verb) {
      case Verb::kUserAdd: return add_user();
      case Verb::kUserList: return list_users();
      case Verb::kUserPassword: return set_password();
      case Verb::kUserDisable:
        return change_user([](IdentityStore& store, const std::string& id) { return store.disable_user(id); });
      case Verb::kUserEnable:
        return change_user([](IdentityStore& store, const std::string& id) { return store.enable_user(id); });
      case Verb::kKeyCreate: return create_key();
      case Verb::kKeyList: return list_keys();
      case Verb::kKeyRevoke: return revoke_key();
    }
    return {};
  }

 private:
  Status add_user();
  Status list_users();
  Status set_password();
  Status create_key();
  Status list_keys();
  Status revoke_key();
  template <class Change>
  Status change_user(Change change);

  // What a running server hears: nothing; before the work, to write down what it remembers; after it, what has changed.
  enum class Tell { kNothing, kBefore, kAfter };
  // Does `work(store, records)`.
  template <class Work>
  Status with_store(Tell tell, Work work);
  static Result<UserRecord> find_user(const IdentityRecords& records, const std::string& name);

  const IdentityCommand& command_;
  SystemClock clock_;
  IdSource ids_{clock_};
};

template <class Work>
Status Session::with_store(Tell tell, Work work) {
  auto access = IdentityAccess::open(command_.data);
  if (!access) return fail(access.error());
  const bool was_told = tell != Tell::kBefore || (*access)->tell_server();
  const auto records = (*access)->store().load();
  if (!records) return fail(records.error());
  if (auto done = work((*access)->store(), *records); !done) return done;
  if (!was_told || (tell == Tell::kAfter && !(*access)->tell_server())) {
    std::fputs("braidlog: the running server did not answer in time; it takes the change up when it can\n", stderr);
  }
  return {};
}

Result<UserRecord> Session::find_user(const IdentityRecords& records, const std::string& name) {
  const auto at = std::ranges::find(records.users, auth::lower_case(name),
                                    [](const UserRecord& user) { return auth::lower_case(user.name); });
  if (at == records.users.end()) return fail(ErrorCode::kBadField, "there is no user named '" + name + "'");
  return *at;
}

// ---- users ----

Status Session::add_user() {
  const std::string& name = command_.subject;
  const auto exists = [&] { return fail(ErrorCode::kInvalidState, "there is a user named '" + name + "' already"); };
  auto is_free = with_store(Tell::kNothing, [&](IdentityStore&, const IdentityRecords& records) -> Status {
    if (find_user(records, name)) return exists();
    return {};
  });
  if (!is_free) return is_free;
  const auto password = read_new_password(name);
  if (!password) return fail(password.error());
  auto hash = auth::hash_password(*password);
  if (!hash) return fail(hash.error());
  return with_store(Tell::kAfter, [&](IdentityStore& store, const IdentityRecords&) -> Status {
    const UserRecord user{.id = "user_" + to_ulid(ids_.next()),
                          .name = name,
                          .password_hash = std::move(*hash),
                          .is_admin = command_.is_admin,
                          .is_disabled = false,
                          .created_at = clock_.wall()};
    auto added = store.add_user(user);
    if (!added && added.error().code == ErrorCode::kInvalidState) return exists();  // somebody was faster
    return added;
  });
}

Status Session::set_password() {
  const std::string& name = command_.subject;
  std::string user_id;
  auto found = with_store(Tell::kNothing, [&](IdentityStore&, const IdentityRecords& records) -> Status {
    const auto user = find_user(records, name);
    if (!user) return fail(user.error());
    user_id = user->id;
    return {};
  });
  if (!found) return found;
  const auto password = read_new_password(name);
  if (!password) return fail(password.error());
  const auto hash = auth::hash_password(*password);
  if (!hash) return fail(hash.error());
  return with_store(Tell::kAfter,
                    [&](IdentityStore& store, const IdentityRecords&) { return store.set_password(user_id, *hash); });
}

template <class Change>
Status Session::change_user(Change change) {
  return with_store(Tell::kAfter, [&](IdentityStore& store, const IdentityRecords& records) -> Status {
    const auto user = find_user(records, command_.subject);
    if (!user) return fail(user.error());
    return change(store, user->id);
  });
}

Status Session::list_users() {
  return with_store(Tell::kNothing, [&](IdentityStore&, const IdentityRecords& records) -> Status {
    std::vector<std::vector<std::string>> rows{{"NAME", "ROLE", "STATE", "CREATED", "ID"}};
    for (const UserRecord& user : records.users) {
      rows.push_back({user.name, user.is_admin ? "admin" : "user", user.is_disabled ? "disabled" : "enabled",
                      to_iso8601(user.created_at), user.id});
    }
    std::fputs(terminal::text_table(rows).c_str(), stdout);
    return {};
  });
}

// ---- keys ----

Status Session::create_key() {
  const std::string key = auth::make_key();
  std::string id;
  auto made = with_store(Tell::kAfter, [&](IdentityStore& store, const IdentityRecords& records) -> Status {
    const auto user = find_user(records, command_.subject);
    if (!user) return fail(user.error());
    const WallTime now = clock_.wall();
    id = "key_" + to_ulid(ids_.next());
    KeyRecord record{.id = id,
                     .user_id = user->id,
                     .key_hash = auth::hash_of(key).text(),
                     .label = command_.label,
                     .created_at = now};
    if (command_.expires_in) record.expires_at = WallTime{now.ms + command_.expires_in->count()};
    return store.add_key(record);
  });
  if (!made) return made;
  std::fprintf(stderr, "The key %s of %s. It is shown this once:\n", id.c_str(), command_.subject.c_str());
  std::printf("%s\n", key.c_str());
  return {};
}

Status Session::list_keys() {
  return with_store(Tell::kBefore, [&](IdentityStore&, const IdentityRecords& records) -> Status {
    std::string user_id;
    if (!command_.subject.empty()) {
      const auto user = find_user(records, command_.subject);
      if (!user) return fail(user.error());
      user_id = user->id;
    }
    std::vector<std::vector<std::string>> rows{{"ID", "USER", "STATE", "CREATED", "EXPIRES", "LAST USED", "LABEL"}};
    for (const KeyRecord& key : records.keys) {
      if (!user_id.empty() && key.user_id != user_id) continue;
      const auto owner = std::ranges::find(records.users, key.user_id, &UserRecord::id);
      const bool has_owner = owner != records.users.end();
      rows.push_back({key.id, has_owner ? owner->name : key.user_id,
                      state_of(key, has_owner && !owner->is_disabled, clock_.wall()), to_iso8601(key.created_at),
                      key.expires_at ? to_iso8601(*key.expires_at) : "never",
                      key.used_at ? to_iso8601(*key.used_at) : "never", key.label});
    }
    std::fputs(terminal::text_table(rows).c_str(), stdout);
    return {};
  });
}

Status Session::revoke_key() {
  return with_store(Tell::kAfter, [&](IdentityStore& store, const IdentityRecords& records) -> Status {
    const std::string& id = command_.subject;
    if (std::ranges::find(records.keys, id, &KeyRecord::id) == records.keys.end()) {
      return fail(ErrorCode::kBadField, "there is no key '" + id + "'");
    }
    return store.revoke_key(id, clock_.wall());
  });
}

}  // namespace

int run_identity_command(const IdentityCommand& command) {
  const auto done = Session(command).run();
  if (done) return 0;
  std::fprintf(stderr, "braidlog: %s\n", done.error().message.c_str());
  return 1;
}

}  // namespace braidlog::app
