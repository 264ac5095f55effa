#include "store/sqlite/database.h"

namespace braidlog::store {

namespace {

// A reader meets a lock only while the log is being reset; another process (the command line) may write for a
// moment.
constexpr int kBusyTimeoutMs = 5'000;

}  // namespace

Error storage_error(int code) {
  switch (code & 0xff) {
    case SQLITE_CONSTRAINT: return {ErrorCode::kInvalidState, "it exists already", {}};
    case SQLITE_NOTADB:
      return {ErrorCode::kStorage, "the data file is not a Braidlog database, or its header is damaged", {}};
    case SQLITE_CORRUPT: return {ErrorCode::kStorage, "the database is damaged", {}};
    default: return {ErrorCode::kStorage, std::string("the store failed: ") + sqlite3_errstr(code), {}};
  }
}

void prepare_library() {
  // Refused when SQLite is in use already; then it goes on as it is.
  static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(once);
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Access access, const char* vfs) {
  prepare_library();
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs);
  std::unique_ptr<Database> database(new Database(handle));
  if (code != SQLITE_OK) return fail(storage_error(code));
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (access == Access::kRead) {
    // The shared index of the write-ahead log needs a writable file, so "read only" is a promise, not an open
    // mode.
    if (auto status = database->exec("PRAGMA query_only=ON"); !status) return fail(status.error());
  }
  return database;
}

Database::~Database() {
  for (sqlite3_stmt* statement : brackets_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

Status Database::configure_writer(Durability durability) {
  // A file system without shared memory keeps another mode and says so instead of failing.
  std::string mode;
  const auto take = [](void* out, int, char** values, char**) {
    *static_cast<std::string*>(out) = values[0] ? values[0] : "";
    return 0;
  };
  const int code = sqlite3_exec(handle_, "PRAGMA journal_mode=WAL", take, &mode, nullptr);
  if (code != SQLITE_OK) return fail(storage_error(code));
  if (mode != "wal") return fail(ErrorCode::kStorage, "the file system of the data folder has no shared memory files");

  // secure_delete FAST: clearing every freed page, Debian's default, doubles what a journal row costs; FAST
  // clears what is written anyway (the rest: scrubber.h). The cache holds the inner pages of a large database.
  const char* pragmas[] = {
      durability == Durability::kFull ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL",
      "PRAGMA wal_autocheckpoint=1000",
      "PRAGMA journal_size_limit=67108864",
      "PRAGMA secure_delete=FAST",
      "PRAGMA cache_size=-16384",
      // SQLite 3.40 loses commits after a crash when a transaction wrote pages to the log before its end and then went
      // back to a savepoint. With this nothing of a transaction is in the log before its end.
      "PRAGMA cache_spill=OFF",
      "PRAGMA temp_store=MEMORY",
  };
  for (const char* pragma : pragmas) {
    if (auto status = exec(pragma); !status) return status;
  }
  return {};
}

void Database::keep_tidy() {
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
}

Status Database::exec(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(storage_error(code));
  return {};
}

Status Database::run(Bracket bracket) {
  static constexpr std::array<const char*, kBracketCount> kSql{"BEGIN", "BEGIN IMMEDIATE", "COMMIT"};
  sqlite3_stmt*& statement = brackets_[bracket];
  if (!statement) {
    const int code = sqlite3_prepare_v3(handle_, kSql[bracket], -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) return fail(storage_error(code));
  }
  sqlite3_step(statement);
  const int code = sqlite3_reset(statement);  // what the step came to
  if (code != SQLITE_OK) return fail(storage_error(code));
  return {};
}

Transaction::~Transaction() {
  // SQLite may have rolled back by itself (full disk, I/O error); then there is nothing left to do.
  if (database_.in_transaction()) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Status Transaction::begin(Kind kind) {
  return database_.run(kind == Kind::kWrite ? Database::kBeginWrite : Database::kBeginRead);
}

Status Transaction::commit() {
  return database_.run(Database::kCommit);
}

}  // namespace braidlog::store
