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

// Every version can become the current one, and then holds what only that can.
TEST_F(MigrationTest, FromEachVersion) {
  const SessionId session = *SessionId::parse("01990000-0000-7000-8000-000000000001");
  for (int version = 1; version <= current_schema_version(); ++version) {
    SCOPED_TRACE(version);
    std::filesystem::remove_all(folder_.path());
    make(version, R"sql(
      INSERT INTO session(id, user_id, title, agent, contract, auto_approve, created_at, updated_at)
        VALUES(x'01990000000070008000000000000001', 'demo', 'Old', 'writer', 'runs', 1, 1000, 2000);
      INSERT INTO message(id, session_id, position, role, content, created_at, run_id)
        VALUES(x'01990000000070008000000000000002', x'01990000000070008000000000000001', 0, 'user', 'hello', 1000,
          x'01990000000070008000000000000003');
    )sql");
    auto store = SqliteRunStore::open({.folder = folder_.path(), .durability = Durability::kNormal});
    ASSERT_TRUE(store) << store.error().message;
    auto reader = (*store)->open_reader();
    ASSERT_TRUE(reader);
    const auto old = (*reader)->session(session);
    ASSERT_TRUE(old) << old.error().message;
    EXPECT_EQ(old->title, "Old");
    EXPECT_EQ(old->message_count, 1u);
    EXPECT_EQ(old->updated_at, WallTime{2000});
    EXPECT_EQ(old->status, api::SessionStatus::kPlanning);
    EXPECT_EQ(old->task_version, 0u);
    EXPECT_TRUE((*reader)->tasks(session)->empty());

    NewRun run;
    run.run.id = *RunId::parse("01990000-0000-7000-8000-000000000004");
    run.run.session_id = session;
    run.expected_message_count = 1;
    run.expected_task_version = 0;
    run.records = "x";
    run.record_count = 1;
    run.effects.tasks = {{.id = {run.run.id.value}, .title = "New"}};
    run.effects.artifacts = {{.id = {run.run.id.value}, .name = "a", .type = "note"}};
    run.effects.data_items = {{.item = {.id = {run.run.id.value}, .item_type = "t", .data_json = "{}"}}};
    run.effects.session_status = api::SessionStatus::kExecuting;
    run.effects.changed_at = WallTime{3000};
    const Write write = run;
    const auto outcomes = (*store)->commit({&write, 1});
    ASSERT_TRUE(outcomes[0]) << outcomes[0].error().message;
    EXPECT_EQ((*reader)->session(session)->status, api::SessionStatus::kExecuting);
    EXPECT_EQ((*reader)->session(session)->task_version, 1u);
    EXPECT_EQ((*reader)->tasks(session)->size(), 1u);
    EXPECT_EQ((*reader)->artifacts(session, "")->size(), 1u);
    EXPECT_EQ((*reader)->data_items(session, "")->size(), 1u);
  }
}

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

  const auto found = (*reader)->find_runs({.user_id = "demo", .words = "HELL"});
  ASSERT_EQ(found->items.size(), 1u) << "runs of before are found by what was asked for";
  EXPECT_EQ(found->items[0].text, "hello");
  EXPECT_EQ(found->items[0].session_title, "Old");

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

// Version 6: before sessions were listed by their period.
TEST_F(MigrationTest, FromVersion6) {
  make(6, R"sql(
    INSERT INTO session(id, user_id, title, agent, contract, auto_approve, created_at, updated_at) VALUES
      (x'01990000000070008000000000000001', 'demo', 'second', 'writer', 'runs', 0, 1000, 1700000005000),
      (x'01990000000070008000000000000002', 'demo', 'fourth', 'writer', 'runs', 0, 1000, 1600000000000),
      (x'01990000000070008000000000000003', 'demo', 'first', 'writer', 'runs', 0, 1000, 1700000005001),
      (x'01990000000070008000000000000004', 'demo', 'third', 'writer', 'runs', 0, 1000, 1699999999999);
  )sql");
  auto store = SqliteRunStore::open({.folder = folder_.path(), .durability = Durability::kNormal});
  ASSERT_TRUE(store) << store.error().message;
  auto reader = (*store)->open_reader();
  ASSERT_TRUE(reader);
  for (const std::optional<std::string>& user : {std::optional<std::string>("demo"), {}}) {
    const auto list = (*reader)->sessions({.user_id = user});
    ASSERT_EQ(list->items.size(), 4u);
    const char* titles[] = {"first", "second", "third", "fourth"};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(list->items[i].title, titles[i]);
  }
}

}  // namespace
}  // namespace braidlog::store
