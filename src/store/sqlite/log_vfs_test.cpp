// The layer over SQLite's files, on a disk that counts writes and refuses them when it is told to.

#include "store/sqlite/log_vfs.h"

#include <gtest/gtest.h>

#include <memory>

#include "store/sqlite/database.h"
#include "store/testing/sqlite_place.h"

namespace braidlog::store {
namespace {

// The default VFS, whose write-ahead logs it counts the writes of. C functions have no place for an object: there is
// one at a time.
class CountingVfs {
 public:
  CountingVfs() : vfs_(*sqlite3_vfs_find(nullptr)) {
    real_ = sqlite3_vfs_find(nullptr);
    vfs_.zName = "counting";
    vfs_.xOpen = open;
    writes = 0;
    refuse_with = SQLITE_OK;
    EXPECT_EQ(sqlite3_vfs_register(&vfs_, 0), SQLITE_OK);
  }
  ~CountingVfs() { sqlite3_vfs_unregister(&vfs_); }

  sqlite3_vfs* get() { return &vfs_; }

  static inline int writes = 0;
  static inline int refuse_with = SQLITE_OK;

 private:
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
    const int code = real_->xOpen(real_, name, file, flags, flags_out);
    if (code != SQLITE_OK || (flags & SQLITE_OPEN_WAL) == 0) return code;
    real_methods_ = file->pMethods;
    methods_ = *file->pMethods;
    methods_.xWrite = write;
    file->pMethods = &methods_;
    return code;
  }
  static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
    ++writes;
    if (refuse_with != SQLITE_OK) return refuse_with;
    return real_methods_->xWrite(file, bytes, size, at);
  }

  static inline sqlite3_vfs* real_ = nullptr;
  static inline const sqlite3_io_methods* real_methods_ = nullptr;
  static inline sqlite3_io_methods methods_{};
  sqlite3_vfs vfs_;
};

class LogVfsTest : public ::testing::TestWithParam<Durability> {
 protected:
  void SetUp() override {
    sqlite3* made = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &made), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(made, "PRAGMA journal_mode=WAL; CREATE TABLE t(n INTEGER, text TEXT)", 0, 0, 0), SQLITE_OK);
    sqlite3_close(made);
    writer_ = open(vfs_.name());
    plain_ = open(nullptr);
    ASSERT_TRUE(writer_->configure_writer(GetParam()));
    ASSERT_TRUE(writer_->exec("INSERT INTO t VALUES(0, 'first')"));
    CountingVfs::writes = 0;
  }
  std::unique_ptr<Database> open(const char* vfs) {
    auto database = Database::open(path_, Database::Access::kWrite, vfs);
    EXPECT_TRUE(database);
    return std::move(*database);
  }

  // Rows of about a page each.
  static std::string insert(int count) {
    return "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < " + std::to_string(count) +
           ") INSERT INTO t SELECT n, hex(zeroblob(1800)) FROM c";
  }
  static std::int64_t count(Database& database) {
    std::int64_t value = -1;
    sqlite3_exec(
        database.handle(), "SELECT count(*) FROM t",
        [](void* out, int, char** values, char**) {
          *static_cast<std::int64_t*>(out) = std::stoll(values[0]);
          return 0;
        },
        &value, nullptr);
    return value;
  }
  // As somebody finds it who comes after a crash, with nothing but the files; -1 when they are damaged.
  std::int64_t count_after_crash() {
    TestFolder crashed;
    copy_database(folder_.path(), crashed.path());
    const bool whole = query_integer(crashed.path(), "SELECT integrity_check = 'ok' FROM pragma_integrity_check") == 1;
    return whole ? query_integer(crashed.path(), "SELECT count(*) FROM t") : -1;
  }
  // So small a cache that a large transaction writes to the log before it is committed, and reads from there again.
  void spill() { ASSERT_TRUE(writer_->exec("PRAGMA cache_size=10; PRAGMA cache_spill=10")); }

  TestFolder folder_;
  const std::string path_ = folder_.path() / "braidlog.db";
  CountingVfs below_;
  LogVfs vfs_{below_.get()};
  std::unique_ptr<Database> writer_, plain_;
};

TEST_P(LogVfsTest, ACommitIsOneWrite) {
  ASSERT_TRUE(writer_->exec(insert(20).c_str()));
  EXPECT_EQ(CountingVfs::writes, 1);
  EXPECT_EQ(count(*plain_), 21);
  ASSERT_TRUE(writer_->exec("UPDATE t SET text = 'shorter' WHERE n = 0"));
  EXPECT_EQ(CountingVfs::writes, 2) << "of one page";
  EXPECT_EQ(count_after_crash(), 21);
}

TEST_P(LogVfsTest, AFewMoreWhenThereIsMuch) {
  ASSERT_TRUE(writer_->exec(insert(310).c_str()));
  EXPECT_GE(CountingVfs::writes, 10);
  EXPECT_LE(CountingVfs::writes, 12);
  EXPECT_EQ(count(*plain_), 311);
  EXPECT_EQ(count_after_crash(), 311);
}

TEST_P(LogVfsTest, WhatTheDiskRefusesFailsThatCommit) {
  for (const int code : {SQLITE_FULL, SQLITE_IOERR_WRITE}) {
    for (const int rows : {0, 1, 20, 200}) {
      const std::int64_t before = count(*plain_);
      CountingVfs::refuse_with = code;
      Transaction transaction(*writer_);
      ASSERT_TRUE(transaction.begin(Transaction::Kind::kWrite));
      ASSERT_TRUE(writer_->exec(insert(rows + 1).c_str()));
      const auto committed = transaction.commit();
      ASSERT_FALSE(committed) << rows;
      EXPECT_EQ(committed.error().code, ErrorCode::kStorage);
      CountingVfs::refuse_with = SQLITE_OK;
      EXPECT_FALSE(writer_->in_transaction());
      EXPECT_EQ(count(*plain_), before);
      EXPECT_EQ(count(*writer_), before);
      ASSERT_TRUE(writer_->exec(insert(3).c_str()));
      EXPECT_EQ(count(*plain_), before + 3);
      EXPECT_EQ(count_after_crash(), before + 3);
    }
  }
}

TEST_P(LogVfsTest, AnotherWriterInBetween) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(plain_->exec(insert(7).c_str()));
    ASSERT_TRUE(writer_->exec(insert(5).c_str()));
  }
  EXPECT_EQ(count(*plain_), 61);
  EXPECT_EQ(count_after_crash(), 61);
}

TEST_P(LogVfsTest, ATransactionThatWasGivenUpIsNotWrittenOverAnothersCommit) {
  spill();
  for (const int rows : {12, 15, 18, 24, 29}) {
    const std::int64_t before = count(*plain_);
    ASSERT_TRUE(writer_->exec("BEGIN IMMEDIATE"));
    ASSERT_TRUE(writer_->exec(insert(rows).c_str()));
    ASSERT_TRUE(writer_->exec("ROLLBACK"));
    ASSERT_TRUE(plain_->exec(insert(20).c_str()));
    ASSERT_TRUE(writer_->exec(insert(2).c_str()));
    EXPECT_EQ(count(*plain_), before + 22);
    EXPECT_EQ(count_after_crash(), before + 22);
  }
}

TEST_P(LogVfsTest, FramesThatAreWrittenTwiceInATransaction) {
  spill();
  ASSERT_TRUE(writer_->exec("BEGIN IMMEDIATE"));
  ASSERT_TRUE(writer_->exec(insert(60).c_str()));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(writer_->exec("UPDATE t SET n = n + 1"));
    ASSERT_TRUE(writer_->exec("SAVEPOINT s"));
    ASSERT_TRUE(writer_->exec("UPDATE t SET text = 'lost'"));
    ASSERT_TRUE(writer_->exec("ROLLBACK TO s; RELEASE s"));
  }
  ASSERT_TRUE(writer_->exec("COMMIT"));
  EXPECT_EQ(count(*plain_), 61);
  EXPECT_EQ(count_after_crash(), 61);
  EXPECT_EQ(query_integer(folder_.path(), "SELECT sum(n) FROM t"), 60 * 61 / 2 + 3 * 61);
  EXPECT_EQ(query_integer(folder_.path(), "SELECT count(*) FROM t WHERE text = 'lost'"), 0);
}

TEST_P(LogVfsTest, ADiskThatRefusesInTheMiddleOfATransaction) {
  spill();
  ASSERT_TRUE(writer_->exec("BEGIN IMMEDIATE"));
  ASSERT_TRUE(writer_->exec(insert(15).c_str()));
  CountingVfs::refuse_with = SQLITE_FULL;
  const bool read = writer_->exec("UPDATE t SET n = n + 1").has_value();
  CountingVfs::refuse_with = SQLITE_OK;
  // What was lost stays lost, also when the disk has room again.
  const bool committed = writer_->in_transaction() && writer_->exec("COMMIT").has_value();
  EXPECT_FALSE(read && committed);
  EXPECT_FALSE(writer_->in_transaction());
  EXPECT_EQ(count(*plain_), 1);
  ASSERT_TRUE(writer_->exec(insert(4).c_str()));
  EXPECT_EQ(count(*plain_), 5);
  EXPECT_EQ(count_after_crash(), 5);
}

TEST_P(LogVfsTest, ATransactionReadsWhatItHasWritten) {
  spill();
  for (const int rows : {12, 13, 14, 15, 16, 17, 18}) {
    ASSERT_TRUE(writer_->exec("BEGIN IMMEDIATE"));
    ASSERT_TRUE(writer_->exec(insert(rows).c_str()));
    EXPECT_TRUE(writer_->exec("SELECT sum(length(text)) FROM t"));
    EXPECT_TRUE(writer_->exec("PRAGMA quick_check"));
    EXPECT_EQ(count(*writer_), rows + 1);
    ASSERT_TRUE(writer_->exec("ROLLBACK"));
  }
}

TEST_P(LogVfsTest, NothingIsWrittenBehindAGap) {
  ASSERT_TRUE(writer_->exec("BEGIN IMMEDIATE"));
  sqlite3_file* log = nullptr;
  ASSERT_EQ(sqlite3_file_control(writer_->handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log), SQLITE_OK);
  const auto write = [&](sqlite3_int64 at) { return log->pMethods->xWrite(log, "0123456789", 10, at); };
  sqlite3_int64 size = 0;
  EXPECT_EQ(write(1'000'000), SQLITE_OK);
  EXPECT_EQ(write(1'000'010), SQLITE_OK);
  EXPECT_EQ(CountingVfs::writes, 1);
  CountingVfs::refuse_with = SQLITE_FULL;
  EXPECT_EQ(log->pMethods->xFileSize(log, &size), SQLITE_FULL);
  CountingVfs::refuse_with = SQLITE_OK;
  EXPECT_EQ(write(1'000'020), SQLITE_FULL);
  EXPECT_EQ(log->pMethods->xSync(log, SQLITE_SYNC_NORMAL), SQLITE_FULL);
  EXPECT_EQ(log->pMethods->xFileSize(log, &size), SQLITE_OK);
  EXPECT_EQ(size, 1'000'010);
  ASSERT_TRUE(writer_->exec("ROLLBACK"));
  ASSERT_TRUE(writer_->exec(insert(4).c_str()));
  EXPECT_EQ(count_after_crash(), 5);
}

TEST_P(LogVfsTest, ALogThatBeginsAnew) {
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(writer_->exec(insert(30).c_str()));
    ASSERT_TRUE(writer_->exec(i % 2 == 0 ? "PRAGMA wal_checkpoint(RESTART)" : "PRAGMA wal_checkpoint(TRUNCATE)"));
    ASSERT_TRUE(writer_->exec("DELETE FROM t WHERE n > 10"));
    EXPECT_EQ(count(*plain_), 1 + 10 * (i + 1));
    EXPECT_EQ(count_after_crash(), 1 + 10 * (i + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Durabilities, LogVfsTest, ::testing::Values(Durability::kFull, Durability::kNormal),
                         [](const auto& info) { return info.param == Durability::kFull ? "Full" : "Normal"; });

}  // namespace
}  // namespace braidlog::store
