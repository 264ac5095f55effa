// Users, cookies and keys in the tables of the one database, over a connection of its own: the commands of the binary
// write here while a server runs, and the server writes here without asking its store thread, because nothing of this
// belongs to a run.
#pragma once

#include <memory>
#include <string>

#include "port/identity_store.h"
#include "store/sqlite/data_folder.h"
#include "store/sqlite/statement.h"

namespace braidlog::store {

// Runs on: one thread at a time.
class SqliteIdentityStore final : public IdentityStore {
 public:
  // For a database that is looked after: by the server that has the folder, or by make_ready(). kStorage with one line
  // for people when it cannot be opened or has another schema than this program's.
  static Result<std::unique_ptr<SqliteIdentityStore>> open(const std::string& database_path);

  // What a server does at its start, for a command that finds none running: makes the database when it is missing,
  // refuses a damaged one, brings an older schema up to date.
  static Status make_ready(const DataFolder& folder);

  Result<IdentityRecords> load() override;
  Status add_user(const UserRecord& user) override;
  Status set_password(const std::string& user_id, const std::string& password_hash) override;
  Status disable_user(const std::string& user_id) override;
  Status enable_user(const std::string& user_id) override;
  Status add_login(const LoginRecord& login, const std::string& password_hash) override;
  Status remove_logins(std::span<const std::string> ids) override;
  Status remove_logins_older_than(const Age& age) override;
  Status add_key(const KeyRecord& key) override;
  Status revoke_key(const std::string& id, WallTime at) override;
  Status note_uses(std::span<const CredentialUse> uses) override;

 private:
  explicit SqliteIdentityStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  template <class Work>
  Status in_transaction(Work work);
  Result<IdentityRecords> read_all();

  std::unique_ptr<Database> database_;
  bool log_has_remains_ = false;  // a commit failed; its frames may still be in the write-ahead log
  Statement remove_login_{*database_, "DELETE FROM login WHERE id = ?"};
  Statement remove_logins_of_{*database_, "DELETE FROM login WHERE user_id = ?"};
  Statement use_login_{*database_, "UPDATE login SET used_at = max(used_at, ?2) WHERE id = ?1"};
  Statement use_key_{*database_, "UPDATE api_key SET last_used_at = max(ifnull(last_used_at, 0), ?2) WHERE id = ?1"};
};

}  // namespace braidlog::store
