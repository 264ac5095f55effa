// An IdentityStore in memory, for tests. It keeps the contract of the port (identity_store_contract.h).
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

#include "port/identity_store.h"

namespace braidlog::testing {

class MemoryIdentityStore final : public IdentityStore {
 public:
  // Several stores on the same records are what a server and a command are.
  explicit MemoryIdentityStore(IdentityRecords& records) : records_(records) {}

  // While it is broken everything fails and nothing changes.
  bool is_broken = false;

  Result<IdentityRecords> load() override {
    if (is_broken) return fail(ErrorCode::kStorage, "the store failed");
    return records_;
  }

  Status add_user(const UserRecord& user) override {
    return write([&]() -> Status {
      if (std::ranges::any_of(records_.users, [&](const UserRecord& u) { return is_same(u.name, user.name); })) {
        return fail(ErrorCode::kInvalidState, "it exists already");
      }
      records_.users.push_back(user);
      std::ranges::sort(records_.users, {}, &UserRecord::name);
      return {};
    });
  }
  Status set_password(const std::string& user_id, const std::string& password_hash) override {
    return change_user(user_id, [&](UserRecord& user) {
      user.password_hash = password_hash;
      end_logins(user_id);
    });
  }
  Status disable_user(const std::string& user_id) override {
    return change_user(user_id, [&](UserRecord& user) {
      user.is_disabled = true;
      end_logins(user_id);
    });
  }
  Status enable_user(const std::string& user_id) override {
    return change_user(user_id, [](UserRecord& user) { user.is_disabled = false; });
  }

  Status add_login(const LoginRecord& login, const std::string& password_hash) override {
    return write([&]() -> Status {
      const auto fits = [&](const UserRecord& user) {
        return user.id == login.user_id && user.password_hash == password_hash && !user.is_disabled;
      };
      if (!password_hash.empty() && std::ranges::none_of(records_.users, fits)) {
        return fail(ErrorCode::kUnauthorized, "The user was changed meanwhile");
      }
      records_.logins.push_back(login);
      return {};
    });
  }
  Status remove_logins(std::span<const std::string> ids) override {
    return write([&]() -> Status {
      std::erase_if(records_.logins, [&](const auto& one) { return std::ranges::find(ids, one.id) != ids.end(); });
      return {};
    });
  }
  Status remove_logins_older_than(const Age& age) override {
    return write([&]() -> Status {
      std::erase_if(records_.logins,
                    [&](const auto& one) { return one.created_at <= age.created_at || one.used_at <= age.used_at; });
      return {};
    });
  }

  Status add_key(const KeyRecord& key) override {
    return write([&]() -> Status {
      records_.keys.push_back(key);
      return {};
    });
  }
  Status revoke_key(const std::string& id, WallTime at) override {
    return write([&]() -> Status {
      for (KeyRecord& key : records_.keys) {
        if (key.id == id && !key.revoked_at) key.revoked_at = at;
      }
      return {};
    });
  }

  Status note_uses(std::span<const CredentialUse> uses) override {
    return write([&]() -> Status {
      for (const CredentialUse& use : uses) {
        for (LoginRecord& login : records_.logins) {
          if (login.id == use.id) login.used_at = std::max(login.used_at, use.at);
        }
        for (KeyRecord& key : records_.keys) {
          if (key.id == use.id) key.used_at = std::max(key.used_at.value_or(WallTime{}), use.at);
        }
      }
      return {};
    });
  }

 private:
  template <class Work>
  Status write(Work work) {
    if (is_broken) return fail(ErrorCode::kStorage, "the store failed");
    return work();
  }
  template <class Change>
  Status change_user(const std::string& id, Change change) {
    return write([&]() -> Status {
      for (UserRecord& user : records_.users) {
        if (user.id == id) change(user);
      }
      return {};
    });
  }
  void end_logins(const std::string& user_id) {
    std::erase_if(records_.logins, [&](const LoginRecord& login) { return login.user_id == user_id; });
  }
  static bool is_same(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return std::ranges::equal(a, b, {}, lower, lower);
  }

  IdentityRecords& records_;
};

}  // namespace braidlog::testing
