// A data folder for tests of the SQLite store.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>

#include "port/testing/run_store_fixture.h"
#include "store/sqlite/run_store.h"
#include "store/testing/test_folder.h"

namespace braidlog::store {

class SqlitePlace final : public testing::StorePlace {
 public:
  explicit SqlitePlace(std::uint64_t journal_bytes_max = 32 * 1024 * 1024) : journal_bytes_max_(journal_bytes_max) {}
  static std::unique_ptr<testing::StorePlace> make() { return std::make_unique<SqlitePlace>(); }

  Result<std::unique_ptr<RunStore>> open() override {
    // Normal: what the tests say does not hang on an fsync, and without it they are fast.
    return SqliteRunStore::open(
        {.folder = folder_.path(), .durability = Durability::kNormal, .journal_bytes_max = journal_bytes_max_});
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  const std::uint64_t journal_bytes_max_;
  TestFolder folder_;
};

// The database with its write-ahead log, as a crash would leave them.
inline void copy_database(const std::filesystem::path& from, const std::filesystem::path& to) {
  for (const char* name : {"braidlog.db", "braidlog.db-wal"}) {
    if (std::filesystem::exists(from / name)) {
      std::filesystem::copy_file(from / name, to / name, std::filesystem::copy_options::overwrite_existing);
    }
  }
}

// The first value that `sql` gives on a connection of its own, or 0.
inline std::int64_t query_integer(const std::filesystem::path& folder, const char* sql) {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_open((folder / "braidlog.db").c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(database, sql, -1, &statement, nullptr), SQLITE_OK) << sql;
  const std::int64_t value = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return value;
}

}  // namespace braidlog::store
