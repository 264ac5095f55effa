#include "store/sqlite/database.h"

#include <gtest/gtest.h>

#include "store/sqlite/log_vfs.h"
#include "store/testing/sqlite_place.h"

namespace braidlog::store {
namespace {

// SQLite 3.40 writes the log wrongly when a transaction that is larger than the cache goes back to a savepoint: after a
// crash the commits from there on are gone. So the writer's transactions are never in the log before their end.
TEST(Database, NothingIsLostAfterATransactionThatWentBackToASavepoint) {
  for (const char* vfs : {static_cast<const char*>(nullptr), "ours"}) {
    const TestFolder folder, crashed;
    query_integer(folder.path(), "PRAGMA journal_mode=WAL");  // makes the file
    LogVfs log_vfs;
    auto opened = Database::open((folder.path() / "braidlog.db").string(), Database::Access::kWrite,
                                 vfs == nullptr ? nullptr : log_vfs.name());
    ASSERT_TRUE(opened);
    Database& writer = **opened;
    ASSERT_TRUE(writer.configure_writer(Durability::kNormal));
    for (const char* sql :
         {"PRAGMA cache_size=10", "CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT)",
          "INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 200) "
          "SELECT n, hex(zeroblob(1500)) FROM c",
          "PRAGMA wal_checkpoint(TRUNCATE)", "BEGIN IMMEDIATE", "UPDATE t SET v = 'x' || v WHERE k = 1", "SAVEPOINT s",
          "UPDATE t SET v = 'y' || v WHERE k BETWEEN 20 AND 60", "UPDATE t SET v = 'z' || v WHERE k BETWEEN 45 AND 60",
          "UPDATE t SET v = 'z' || v WHERE k BETWEEN 100 AND 160", "ROLLBACK TO s", "RELEASE s", "COMMIT",
          "INSERT INTO t VALUES(1000, 'later')"}) {
      ASSERT_TRUE(writer.exec(sql)) << sql;
    }
    copy_database(folder.path(), crashed.path());
    EXPECT_EQ(query_integer(crashed.path(), "SELECT count(*) FROM t"), 201);
    EXPECT_EQ(query_integer(crashed.path(), "SELECT v LIKE 'x%' FROM t WHERE k = 1"), 1);
  }
}

}  // namespace
}  // namespace braidlog::store
