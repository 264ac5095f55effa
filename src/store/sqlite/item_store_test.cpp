// Tasks, artifacts and data items, as far as they are SQLite's own: damage, how they are found, and that runs which
// have none pay nothing for them.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>

#include "store/testing/sqlite_place.h"

namespace braidlog::store {
namespace {

class ItemStoreTest : public testing::RunStoreFixture {
 protected:
  void SetUp() override { use_new_place(); }
  void use_new_place() {
    auto place = std::make_unique<SqlitePlace>();
    folder_ = place->folder();
    open_place(std::move(place));
  }
  std::int64_t query(const char* sql) { return query_integer(folder_, sql); }

  std::filesystem::path folder_;
};

TEST_F(ItemStoreTest, DamagedRowsAreNotServed) {
  testing::LiveRunView run = begin_run(begin_session());
  const SessionId session = run.session_id;
  const api::Artifact artifact = an_artifact();
  RunEffects effects = testing::effects_with({a_task(0)});
  effects.artifacts = {artifact};
  effects.data_items = {a_data_item()};
  append_items(run, effects);
  ASSERT_TRUE(reader_->tasks(session));

  query("UPDATE task SET status = 4");
  expect_error(reader_->tasks(session), ErrorCode::kStorage);
  query("UPDATE task SET status = -1");
  expect_error(reader_->tasks(session), ErrorCode::kStorage);
  query("UPDATE task SET status = 3, id = x'01'");
  expect_error(reader_->tasks(session), ErrorCode::kStorage);

  query("UPDATE artifact SET task_id = x'01'");
  expect_error(reader_->artifact(session, artifact.id), ErrorCode::kStorage);
  query("UPDATE artifact SET task_id = NULL, id = x'01'");
  expect_error(reader_->artifacts(session, ""), ErrorCode::kStorage);
  query("UPDATE data_item SET id = x'01'");
  expect_error(reader_->data_items(session, ""), ErrorCode::kStorage);
  EXPECT_TRUE(reader_->session(session)) << "the rest of the session is as good as it was";
}

TEST_F(ItemStoreTest, ListsFollowAnIndex) {
  for (
      const char* plan : {
          "EXPLAIN QUERY PLAN SELECT id FROM artifact WHERE session_id = ?1 AND (?2 = '' OR type = ?2) ORDER BY number",
          "EXPLAIN QUERY PLAN SELECT id, data_json FROM data_item WHERE session_id = ?1 AND (?2 = '' OR item_type = ?2)"
          " ORDER BY number",
          "EXPLAIN QUERY PLAN SELECT content FROM artifact WHERE session_id = ? AND id = ?",
          "EXPLAIN QUERY PLAN DELETE FROM artifact WHERE session_id = ?",
          "EXPLAIN QUERY PLAN DELETE FROM data_item WHERE session_id = ?",
          "EXPLAIN QUERY PLAN DELETE FROM task WHERE session_id = ?",
      }) {
    sqlite3* database = nullptr;
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "braidlog.db").c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_prepare_v2(database, plan, -1, &statement, nullptr), SQLITE_OK);
    int steps = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const std::string step = reinterpret_cast<const char*>(sqlite3_column_text(statement, 3));
      EXPECT_NE(step.find("SEARCH"), std::string::npos) << plan << ": " << step;
      ++steps;
    }
    EXPECT_EQ(steps, 1) << plan;
    sqlite3_finalize(statement);
    sqlite3_close(database);
  }
}

// Every statement that any connection runs, while it lives.
class StatementTrace {
 public:
  StatementTrace() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(&watch)); }
  ~StatementTrace() {
    sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&watch));
    seen().clear();
  }
  static std::vector<std::string>& seen() {
    static std::vector<std::string> statements;
    return statements;
  }

 private:
  static int watch(sqlite3* database, char**, const sqlite3_api_routines*) {
    return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, &note, nullptr);
  }
  static int note(unsigned, void*, void* statement, void*) {
    seen().emplace_back(sqlite3_sql(static_cast<sqlite3_stmt*>(statement)));
    return 0;
  }
};

TEST_F(ItemStoreTest, RunsWithoutItemsPayNothingForThem) {
  const StatementTrace trace;
  use_new_place();
  const SessionId session = begin_session();
  const auto is_about_items = [](const std::string& sql) {
    return sql.find("INTO task") != std::string::npos || sql.find("FROM task") != std::string::npos ||
           sql.find("UPDATE task") != std::string::npos || sql.find("artifact") != std::string::npos ||
           sql.find("data_item") != std::string::npos || sql.find("task_version +") != std::string::npos;
  };

  StatementTrace::seen().clear();
  NewRun write = a_run(session);
  write.effects.messages = {a_message(write.run.id, "hello")};
  testing::LiveRunView run = begin_run(write);
  append_text(run);
  Append end = an_end(run);
  end.effects.touch().messages = {a_message(run.id, "done")};
  append(run, end);
  ASSERT_GT(StatementTrace::seen().size(), 9u);
  EXPECT_EQ(std::ranges::count_if(StatementTrace::seen(), is_about_items), 0);

  run = begin_run([&] {
    NewRun next = a_run(session);
    next.expected_message_count = 2;
    return next;
  }());
  StatementTrace::seen().clear();
  append_items(run, testing::effects_with({a_task(0)}));
  EXPECT_EQ(std::ranges::count_if(StatementTrace::seen(), is_about_items), 3) << "look, put, count";
}

}  // namespace
}  // namespace braidlog::store
