// A database of an older version, with something in it, becomes a current one and loses nothing.
#include "store/sqlite/schema.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "store/sqlite/run_store.h"
#include "store/testing/test_folder.h"

namespace braidlog::store {
namespace {

class MigrationTest : public ::testing::Test {
 protected:
  // The file as the program of that version made it.
  void make(int version, const char* content) {
    std::filesystem::create_directories(folder_.path());
    const std::string path = folder_.path() / "braidlog.db";
    sqlite3* empty = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &empty), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(empty, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(empty);
    auto database = Database::open(path, Database::Access::kWrite);
    ASSERT_TRUE(database);
    ASSERT_TRUE(migrate(**database, version));
    ASSERT_TRUE((*database)->exec(content)) << "the content does not fit the version";
    (*database)->keep_tidy();
  }

  TestFolder folder_;
};

// Version 2: before turns could wait, and before there were users.
TEST_F(MigrationTest, FromVersion2) {
  make(2, R"sql(
    INSERT INTO session VALUES(x'01990000000070008000000000000001','demo','Old','writer','runs',0,1000,2000);
    INSERT INTO message VALUES(x'01990000000070008000000000000002',x'01990000000070008000000000000001',0,'user','hello',
      1000,x'01990000000070008000000000000003');
    INSERT INTO run VALUES(x'01990000000070008000000000000003',x'01990000000070008000000000000001','demo','writer','runs',4,
      1000,1000,2000,NULL,'',1,2,0,0,0,9,0,'server',1);
    INSERT INTO idempotency VALUES(x'01990000000070008000000000000001','key','same',x'01990000000070008000000000000003');
  )sql");
  auto store = SqliteRunStore::open({.folder = folder_.path(), .durability = Durability::kNormal});
  ASSERT_TRUE(store) << store.error().message;
  auto reader = (*store)->open_reader();
  ASSERT_TRUE(reader);
  const SessionId session = *SessionId::parse("01990000-0000-7000-8000-000000000001");
  EXPECT_EQ((*reader)->session(session)->title, "Old");
  const auto messages = (*reader)->messages(session, 9);
  ASSERT_EQ(messages->size(), 1u);
  EXPECT_EQ(messages->front().content, "hello");
  EXPECT_EQ(messages->front().attached, "");

  NewRun again;
  again.run.id = *RunId::parse("01990000-0000-7000-8000-000000000004");
  again.run.session_id = session;
  again.run.user_id = "demo";
  again.idempotency_key = "key";
  again.fingerprint = "same";
  again.key_scope.session_id = session;
  again.records = "x";
  again.record_count = 1;
  const Write write = again;
  const auto outcomes = (*store)->commit({&write, 1});
  ASSERT_TRUE(outcomes[0]);
  EXPECT_EQ(outcomes[0]->existing_run, RunId::parse("01990000-0000-7000-8000-000000000003")) << "the key still counts";
}

}  // namespace
}  // namespace braidlog::store
