#include "store/sqlite/identity_store.h"

#include <unistd.h>

#include "store/sqlite/schema.h"

namespace braidlog::store {

namespace {

// The server's writer has the lock of the file nearly all the time when it is busy, and lets go of it only between two
// commits. SQLite's own way of waiting looks rarer and rarer and would miss these moments.
constexpr int kLookEveryUs = 500;
constexpr int kLooksMax = 5'000'000 / kLookEveryUs;  // five seconds

int wait_for_lock(void*, int looks) {
  if (looks >= kLooksMax) return 0;
  ::usleep(kLookEveryUs);
  return 1;
}

UserRecord read_user(const Row& row) {
  return {.id = row.text(0),
          .name = row.text(1),
          .password_hash = row.text(2),
          .is_admin = row.boolean(3),
          .is_disabled = row.boolean(4),
          .created_at = row.time(5)};
}

LoginRecord read_login(const Row& row) {
  return {.id = row.text(0),
          .token_hash = row.text(1),
          .user_id = row.text(2),
          .created_at = row.time(3),
          .used_at = row.time(4)};
}

KeyRecord read_key(const Row& row) {
  return {.id = row.text(0),
          .user_id = row.text(1),
          .key_hash = row.text(2),
          .label = row.text(3),
          .created_at = row.time(4),
          .expires_at = row.optional_time(5),
          .used_at = row.optional_time(6),
          .revoked_at = row.optional_time(7)};
}

template <class Record>
Status read_into(std::vector<Record>& out, Database& database, const char* sql, Record (*read)(const Row&)) {
  auto found = Statement(database, sql).each([&](const Row& row) { out.push_back(read(row)); });
  if (!found) return fail(found.error());
  return {};
}

}  // namespace

Result<std::unique_ptr<SqliteIdentityStore>> SqliteIdentityStore::open(const std::string& database_path) {
  auto database = Database::open(database_path, Database::Access::kWrite);
  if (!database) return fail(database.error());
  sqlite3_busy_handler((*database)->handle(), wait_for_lock, nullptr);
  const auto version = schema_version(**database);
  if (!version) return fail(version.error());
  if (*version != current_schema_version()) {
    return fail(ErrorCode::kStorage, "the database has the schema of another version of Braidlog (" +
                                         std::to_string(*version) + ", this program has " +
                                         std::to_string(current_schema_version()) +
                                         "); stop the server that uses it, and use one version for both");
  }
  // Always synced, whatever the server's setting: this is rare, and a log in which only some commits are synced would
  // look damaged after a power cut (log_check.h).
  if (auto status = (*database)->configure_writer(Durability::kFull); !status) return fail(status.error());
  (*database)->keep_tidy();
  return std::unique_ptr<SqliteIdentityStore>(new SqliteIdentityStore(std::move(*database)));
}

Status SqliteIdentityStore::make_ready(const DataFolder& folder) {
  // A log whose commits were not synced is taken for damaged after a power cut. That is the server's to decide, which
  // knows how it was written: a command that finds it so leaves it alone.
  if (auto status = folder.prepare_database(true); !status) return status;
  auto database = Database::open(folder.database_path(), Database::Access::kWrite);
  if (!database) return fail(database.error());
  return migrate(**database);
}

template <class Work>
Status SqliteIdentityStore::in_transaction(Work work) {
  // As in SqliteRunStore::write_all().
  if (log_has_remains_) {
    if (auto status = database_->exec("PRAGMA wal_checkpoint(TRUNCATE)"); !status) return status;
    log_has_remains_ = false;
  }
  Transaction transaction(*database_);
  if (auto status = transaction.begin(Transaction::Kind::kWrite); !status) return status;
  if (auto status = work(); !status) return status;
  auto committed = transaction.commit();
  log_has_remains_ = !committed;
  return committed;
}

Result<IdentityRecords> SqliteIdentityStore::load() {
  Transaction transaction(*database_);
  if (auto status = transaction.begin(Transaction::Kind::kRead); !status) return fail(status.error());
  return read_all();
}

Result<IdentityRecords> SqliteIdentityStore::read_all() {
  IdentityRecords all;
  auto read =
      read_into(all.users, *database_,
                "SELECT id, name, password_hash, is_admin, disabled, created_at FROM user ORDER BY name", read_user)
          .and_then([&] {
            return read_into(all.logins, *database_,
                             "SELECT id, token_hash, user_id, created_at, used_at FROM login ORDER BY id", read_login);
          })
          .and_then([&] {
            return read_into(all.keys, *database_,
                             "SELECT id, user_id, key_hash, label, created_at, expires_at, last_used_at,"
                             " revoked_at FROM api_key ORDER BY id",
                             read_key);
          });
  if (!read) return fail(read.error());
  return all;
}

Status SqliteIdentityStore::add_user(const UserRecord& user) {
  return in_transaction([&] {
    Statement insert(*database_,
                     "INSERT INTO user(id, name, password_hash, is_admin, disabled, created_at)"
                     " VALUES(?, ?, ?, ?, ?, ?)");
    return insert.run(user.id, user.name, user.password_hash, user.is_admin, user.is_disabled, user.created_at);
  });
}

Status SqliteIdentityStore::set_password(const std::string& user_id, const std::string& password_hash) {
  return in_transaction([&] {
    Statement update(*database_, "UPDATE user SET password_hash = ?2 WHERE id = ?1");
    return update.run(user_id, password_hash).and_then([&] { return remove_logins_of_.run(user_id); });
  });
}

Status SqliteIdentityStore::disable_user(const std::string& user_id) {
  return in_transaction([&] {
    Statement update(*database_, "UPDATE user SET disabled = 1 WHERE id = ?");
    return update.run(user_id).and_then([&] { return remove_logins_of_.run(user_id); });
  });
}

Status SqliteIdentityStore::enable_user(const std::string& user_id) {
  return in_transaction(
      [&] { return Statement(*database_, "UPDATE user SET disabled = 0 WHERE id = ?").run(user_id); });
}

Status SqliteIdentityStore::add_login(const LoginRecord& login, const std::string& password_hash) {
  return in_transaction([&]() -> Status {
    Statement insert(
        *database_,
        "INSERT INTO login(id, token_hash, user_id, created_at, used_at) SELECT ?1, ?2, ?3, ?4, ?5"
        " WHERE ?6 = '' OR EXISTS(SELECT 1 FROM user WHERE id = ?3 AND password_hash = ?6 AND NOT disabled)");
    auto inserted =
        insert.run(login.id, Blob{login.token_hash}, login.user_id, login.created_at, login.used_at, password_hash);
    if (!inserted) return inserted;
    if (database_->changes() == 0) return fail(ErrorCode::kUnauthorized, "The user was changed meanwhile");
    return {};
  });
}

Status SqliteIdentityStore::remove_logins(std::span<const std::string> ids) {
  if (ids.empty()) return {};
  return in_transaction([&]() -> Status {
    for (const std::string& id : ids) {
      if (auto status = remove_login_.run(id); !status) return status;
    }
    return {};
  });
}

Status SqliteIdentityStore::remove_logins_older_than(const Age& age) {
  // Nearly always there is none, and nothing is written.
  bool found = false;
  Statement find(*database_, "SELECT 1 FROM login WHERE created_at <= ? OR used_at <= ? LIMIT 1");
  if (auto read = find.one([&](const Row&) { found = true; }, age.created_at, age.used_at); !read) {
    return fail(read.error());
  }
  if (!found) return {};
  return in_transaction([&] {
    return Statement(*database_, "DELETE FROM login WHERE created_at <= ? OR used_at <= ?")
        .run(age.created_at, age.used_at);
  });
}

Status SqliteIdentityStore::add_key(const KeyRecord& key) {
  return in_transaction([&] {
    Statement insert(*database_,
                     "INSERT INTO api_key(id, user_id, key_hash, label, created_at, expires_at, last_used_at,"
                     " revoked_at) VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    return insert.run(key.id, key.user_id, Blob{key.key_hash}, key.label, key.created_at, key.expires_at, key.used_at,
                      key.revoked_at);
  });
}

Status SqliteIdentityStore::revoke_key(const std::string& id, WallTime at) {
  return in_transaction([&] {
    return Statement(*database_, "UPDATE api_key SET revoked_at = ifnull(revoked_at, ?2) WHERE id = ?1").run(id, at);
  });
}

Status SqliteIdentityStore::note_uses(std::span<const CredentialUse> uses) {
  if (uses.empty()) return {};
  return in_transaction([&]() -> Status {
    for (const CredentialUse& use : uses) {
      // Ids of the two tables never meet: each has its own prefix.
      if (auto status = use_login_.run(use.id, use.at); !status) return status;
      if (auto status = use_key_.run(use.id, use.at); !status) return status;
    }
    return {};
  });
}

}  // namespace braidlog::store
