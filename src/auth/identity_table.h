// Users and their good credentials in memory: what the server knows of everybody without asking the store. A credential
// that is here is good, but for its time; one that was revoked, has ended or belongs to a disabled user is not here.
// Thread-safe; the lock is held for a look, never for a read of the store.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/caller.h"
#include "auth/secret.h"
#include "base/clock.h"
#include "base/thread_annotations.h"
#include "port/identity_store.h"

namespace braidlog::auth {

class IdentityTable {
 public:
  struct Rule {
    std::chrono::milliseconds cookie_idle_time{};
    std::chrono::milliseconds cookie_life_time{};
    bool dev = false;  // demo is a user
  };
  // Knows nobody, or demo alone.
  explicit IdentityTable(const Rule& rule);

  // Who shows this cookie or key; none when it is not good. Remembers that it was used.
  std::optional<api::Caller> find(api::CredentialKind kind, const SecretHash& hash, WallTime now);

  bool has(const std::string& id) const;

  // An enabled user; none for others.
  std::optional<UserRecord> user_named(const std::string& name) const;

  // Takes the place of everything. A use that the store does not know yet is kept. Gives the ids of the credentials
  // that were good before and are not now.
  std::vector<std::string> replace(const IdentityRecords& records, WallTime now);
  // Nothing happens when its user is not here any more.
  void add(const LoginRecord& login);
  // False when there is none.
  bool remove(const std::string& id);
  // Cookies of the user over that number, the ones unused for longest.
  std::vector<std::string> superfluous_logins(const std::string& user_id, std::size_t count_max) const;

  // Takes out what has ended by now and gives the ids. Costs nothing while nothing can have ended.
  std::vector<std::string> remove_ended(WallTime now);

  // What was used since the last call.
  std::vector<CredentialUse> take_uses();

 private:
  using User = std::shared_ptr<const UserRecord>;
  struct Credential {
    std::string id;
    api::CredentialKind kind;
    User user;
    WallTime ends_at;  // a cookie that is not used ends sooner
    WallTime used_at;
    bool has_news = false;  // its use is in news_
  };
  // Users by id and by name in lower case, credentials by hash, hashes by the credential's id.
  struct Content {
    std::unordered_map<std::string, User> users_by_id, users_by_name;
    std::unordered_map<SecretHash, Credential> credentials;
    std::unordered_map<std::string, SecretHash> hashes;

    void add_user(const User& user);
    void add_credential(const std::string& hash, Credential credential);
    void remove_credential(const std::string& id);
    Credential* credential(const std::string& id);
  };

  Content make(const IdentityRecords& records, WallTime now) const;
  Credential credential_of(const LoginRecord& login, const User& user) const;
  WallTime end_of(const Credential& credential) const;
  void look_for_next_end() REQUIRES(mutex_);

  const Rule rule_;
  const User demo_;

  mutable Mutex mutex_;
  Content content_ GUARDED_BY(mutex_);
  std::vector<std::string> news_ GUARDED_BY(mutex_);  // credentials used and not written down yet
  WallTime next_end_ GUARDED_BY(mutex_);              // no credential ends before this
};

}  // namespace braidlog::auth
