#include "auth/identity_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "auth/user_name.h"

namespace braidlog::auth {

namespace {

using api::CredentialKind;

constexpr WallTime kNever{std::numeric_limits<std::int64_t>::max()};

std::shared_ptr<const UserRecord> make_demo() {
  return std::make_shared<const UserRecord>(
      UserRecord{.id = std::string(kDemo), .name = std::string(kDemo), .password_hash = {}, .is_admin = true});
}

}  // namespace

void IdentityTable::Content::add_user(const User& user) {
  users_by_id[user->id] = user;
  users_by_name[lower_case(user->name)] = user;
}

void IdentityTable::Content::add_credential(const std::string& hash, Credential credential) {
  const SecretHash key = to_hash(hash);
  hashes[credential.id] = key;
  credentials[key] = std::move(credential);
}

void IdentityTable::Content::remove_credential(const std::string& id) {
  const auto at = hashes.find(id);
  if (at == hashes.end()) return;
  credentials.erase(at->second);
  hashes.erase(at);
}

IdentityTable::Credential* IdentityTable::Content::credential(const std::string& id) {
  const auto at = hashes.find(id);
  return at == hashes.end() ? nullptr : &credentials.at(at->second);
}

IdentityTable::IdentityTable(const Rule& rule)
    : rule_(rule), demo_(rule.dev ? make_demo() : nullptr), next_end_(kNever) {
  if (demo_) content_.add_user(demo_);
}

std::optional<api::Caller> IdentityTable::find(CredentialKind kind, const SecretHash& hash, WallTime now) {
  MutexLock lock(mutex_);
  const auto at = content_.credentials.find(hash);
  if (at == content_.credentials.end() || at->second.kind != kind || end_of(at->second) <= now) return std::nullopt;
  Credential& found = at->second;
  found.used_at = std::max(found.used_at, now);
  if (!std::exchange(found.has_news, true)) news_.push_back(found.id);
  return api::Caller{.user_id = found.user->id,
                     .is_admin = found.user->is_admin,
                     .username = found.user->name,
                     .kind = kind,
                     .credential = found.id};
}

bool IdentityTable::has(const std::string& id) const {
  MutexLock lock(mutex_);
  return content_.hashes.contains(id);
}

std::optional<UserRecord> IdentityTable::user_named(const std::string& name) const {
  MutexLock lock(mutex_);
  const auto at = content_.users_by_name.find(lower_case(name));
  return at == content_.users_by_name.end() ? std::nullopt : std::optional(*at->second);
}

// ---- changes ----

IdentityTable::Credential IdentityTable::credential_of(const LoginRecord& login, const User& user) const {
  return {.id = login.id,
          .kind = CredentialKind::kCookie,
          .user = user,
          .ends_at = {login.created_at.ms + rule_.cookie_life_time.count()},
          .used_at = login.used_at};
}

IdentityTable::Content IdentityTable::make(const IdentityRecords& records, WallTime now) const {
  Content made;
  if (demo_) made.add_user(demo_);
  for (const UserRecord& user : records.users) {
    if (!user.is_disabled) made.add_user(std::make_shared<const UserRecord>(user));
  }
  const auto add = [&](const std::string& user_id, const std::string& hash, const auto& to_credential) {
    const auto user = made.users_by_id.find(user_id);
    if (user == made.users_by_id.end()) return;
    Credential credential = to_credential(user->second);
    if (end_of(credential) > now) made.add_credential(hash, std::move(credential));
  };
  for (const LoginRecord& login : records.logins) {
    add(login.user_id, login.token_hash, [&](const User& user) { return credential_of(login, user); });
  }
  for (const KeyRecord& key : records.keys) {
    if (key.revoked_at) continue;
    add(key.user_id, key.key_hash, [&](const User& user) {
      return Credential{.id = key.id,
                        .kind = CredentialKind::kKey,
                        .user = user,
                        .ends_at = key.expires_at.value_or(kNever),
                        .used_at = key.used_at.value_or(WallTime{})};
    });
  }
  return made;
}

std::vector<std::string> IdentityTable::replace(const IdentityRecords& records, WallTime now) {
  Content made = make(records, now);
  std::vector<std::string> ended;
  MutexLock lock(mutex_);
  for (const auto& [hash, before] : content_.credentials) {
    Credential* after = made.credential(before.id);
    if (after == nullptr) {
      ended.push_back(before.id);
      continue;
    }
    after->used_at = std::max(after->used_at, before.used_at);
    after->has_news = before.has_news;
  }
  std::swap(content_, made);
  look_for_next_end();
  return ended;
}

void IdentityTable::add(const LoginRecord& login) {
  MutexLock lock(mutex_);
  const auto user = content_.users_by_id.find(login.user_id);
  if (user == content_.users_by_id.end()) return;
  Credential credential = credential_of(login, user->second);
  next_end_ = std::min(next_end_, end_of(credential));
  content_.add_credential(login.token_hash, std::move(credential));
}

bool IdentityTable::remove(const std::string& id) {
  MutexLock lock(mutex_);
  const bool was_there = content_.hashes.contains(id);
  content_.remove_credential(id);
  return was_there;
}

std::vector<std::string> IdentityTable::superfluous_logins(const std::string& user_id, std::size_t count_max) const {
  std::vector<std::pair<WallTime, std::string>> logins;
  {
    MutexLock lock(mutex_);
    for (const auto& [hash, one] : content_.credentials) {
      if (one.kind == CredentialKind::kCookie && one.user->id == user_id) logins.emplace_back(one.used_at, one.id);
    }
  }
  std::vector<std::string> ids;
  if (logins.size() <= count_max) return ids;
  std::ranges::sort(logins);
  for (std::size_t i = 0; i < logins.size() - count_max; ++i) ids.push_back(std::move(logins[i].second));
  return ids;
}

// ---- time ----

WallTime IdentityTable::end_of(const Credential& credential) const {
  if (credential.kind == CredentialKind::kKey) return credential.ends_at;
  return std::min(credential.ends_at, WallTime{credential.used_at.ms + rule_.cookie_idle_time.count()});
}

std::vector<std::string> IdentityTable::remove_ended(WallTime now) {
  std::vector<std::string> ended;
  MutexLock lock(mutex_);
  if (now < next_end_) return ended;
  for (const auto& [hash, one] : content_.credentials) {
    if (end_of(one) <= now) ended.push_back(one.id);
  }
  for (const std::string& id : ended) content_.remove_credential(id);
  look_for_next_end();
  return ended;
}

void IdentityTable::look_for_next_end() {
  next_end_ = kNever;
  for (const auto& [hash, one] : content_.credentials) next_end_ = std::min(next_end_, end_of(one));
}

std::vector<CredentialUse> IdentityTable::take_uses() {
  std::vector<CredentialUse> uses;
  MutexLock lock(mutex_);
  for (const std::string& id : std::exchange(news_, {})) {
    Credential* used = content_.credential(id);
    if (used != nullptr && std::exchange(used->has_news, false)) uses.push_back({id, used->used_at});
  }
  return uses;
}

}  // namespace braidlog::auth
