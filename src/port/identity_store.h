// Where users, their cookies and their keys are durable. Secrets come here hashed and are never given back.
//
// Every function blocks and is one transaction: either all of it is durable or nothing has changed. They are called
// from the worker pool and from the commands of the binary, never from an io thread, and by one thread at a time.
// A server and the commands use the same store at the same moment, each through an object of its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace braidlog {

struct UserRecord {
  std::string id;    // "user_" and a ULID
  std::string name;  // unique, whatever the case of its letters
  std::string password_hash;
  bool is_admin = false;
  bool is_disabled = false;
  WallTime created_at;
};

// A browser that logged in. `id` names it everywhere outside this record; the cookie itself is known by its hash alone.
struct LoginRecord {
  std::string id;  // "login_" and a ULID
  std::string token_hash;
  std::string user_id;
  WallTime created_at;
  WallTime used_at;
};

struct KeyRecord {
  std::string id;  // "key_" and a ULID
  std::string user_id;
  std::string key_hash;
  std::string label;
  WallTime created_at;
  std::optional<WallTime> expires_at{};
  std::optional<WallTime> used_at{};
  std::optional<WallTime> revoked_at{};
};

struct IdentityRecords {
  std::vector<UserRecord> users;    // by name
  std::vector<LoginRecord> logins;  // by id
  std::vector<KeyRecord> keys;      // by id
};

// When a cookie or a key was last shown.
struct CredentialUse {
  std::string id;
  WallTime at;
};

class IdentityStore {
 public:
  virtual ~IdentityStore() = default;

  // Everything there is.
  virtual Result<IdentityRecords> load() = 0;

  // kInvalidState when somebody has the name already.
  virtual Status add_user(const UserRecord& user) = 0;
  // Both end the user's cookies: who changes a password does it because somebody else may know the old one.
  virtual Status set_password(const std::string& user_id, const std::string& password_hash) = 0;
  virtual Status disable_user(const std::string& user_id) = 0;
  virtual Status enable_user(const std::string& user_id) = 0;

  // kUnauthorized when the user is not enabled with exactly this password hash any more; not looked at when it is
  // empty, for a user who is not in the store.
  virtual Status add_login(const LoginRecord& login, const std::string& password_hash) = 0;
  // Those that are not there are passed over.
  virtual Status remove_logins(std::span<const std::string> ids) = 0;
  // All that were made, or last used, at these times or before.
  struct Age {
    WallTime created_at, used_at;
  };
  virtual Status remove_logins_older_than(const Age& age) = 0;

  virtual Status add_key(const KeyRecord& key) = 0;
  // A key that was revoked before keeps its time.
  virtual Status revoke_key(const std::string& id, WallTime at) = 0;

  // Of cookies and keys; a time never goes back. Those that are not there are passed over.
  virtual Status note_uses(std::span<const CredentialUse> uses) = 0;
};

}  // namespace braidlog
