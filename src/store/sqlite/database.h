// One connection to SQLite. Every failure is a value; the words of an Error name no path and no SQL.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace braidlog::store {

// Once per process, before anything else of SQLite: it keeps no count of its memory. Nobody reads it, and every
// allocation takes a lock for it. Thread-safe; whoever calls may call again.
void prepare_library();

// What a commit survives: a power cut (one fsync per commit), or the death of the process only.
enum class Durability { kFull, kNormal };

// Runs on: one thread at a time.
class Database {
 public:
  enum class Access { kWrite, kRead };

  // Opens the file as it is, changing nothing in it: until keep_tidy() a close leaves the write-ahead log
  // alone, so that a database which is refused stays byte for byte what it was. `vfs`: its name (log_vfs.h), if not
  // the default one.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Access access, const char* vfs = nullptr);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Sets the pragmas of the server's writer.
  Status configure_writer(Durability durability);
  // From now on the last close folds the write-ahead log into the database.
  void keep_tidy();

  Status exec(const char* sql);
  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(handle_); }
  std::int64_t changes() const { return sqlite3_changes64(handle_); }
  bool in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }
  sqlite3* handle() const { return handle_; }

 private:
  friend class Transaction;
  // Prepared at their first use.
  enum Bracket : std::size_t { kBeginRead, kBeginWrite, kCommit, kBracketCount };

  explicit Database(sqlite3* handle) : handle_(handle) {}
  Status run(Bracket bracket);

  sqlite3* handle_;
  std::array<sqlite3_stmt*, kBracketCount> brackets_{};
};

// kInvalidState for a broken constraint (the object exists already), else kStorage.
Error storage_error(int code);

// Rolls back when it is destroyed before commit() succeeded. Its statements are those of the connection, prepared once.
class Transaction {
 public:
  enum class Kind { kRead, kWrite };
  explicit Transaction(Database& database) : database_(database) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Status begin(Kind kind);
  Status commit();

 private:
  Database& database_;
};

}  // namespace braidlog::store
