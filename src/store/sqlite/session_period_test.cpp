// Lists of sessions are in the order of their times, whichever periods those are in and however they got there.

#include "store/sqlite/session_period.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "store/testing/sqlite_place.h"

namespace braidlog::store {
namespace {

class SessionPeriodTest : public testing::RunStoreFixture {
 protected:
  void SetUp() override {
    auto place = std::make_unique<SqlitePlace>();
    folder_ = place->folder();
    open_place(std::move(place));
  }

  // Every way in which the time of a session changes, at times a few periods apart and close together.
  void use_sessions(std::mt19937& random) {
    for (int i = 0; i < 120; ++i) {
      clock_.advance(std::chrono::milliseconds(random() % 4 == 0 ? random() % 20'000 : random() % 50));
      const SessionId session = sessions_[random() % sessions_.size()];
      switch (random() % 3) {
        case 0: expect_ok(commit_one(SetSession{.id = session, .title = "T", .updated_at = now()})); break;
        case 1: {
          testing::LiveRunView run = begin_run(session);
          clock_.advance(std::chrono::milliseconds(random() % 9'000));
          end_run(run);
          break;
        }
        default: {
          testing::LiveRunView run = begin_run(session);
          append_items(run, testing::effects_with(api::SessionStatus::kExecuting));
          end_run(run);
        }
      }
    }
  }

  std::vector<SessionId> expected(const std::optional<std::string>& user_id) {
    std::vector<std::pair<WallTime, SessionId>> places;
    for (const SessionId id : sessions_) {
      const auto session = reader_->session(id);
      if (!user_id || session->user_id == *user_id) places.emplace_back(session->updated_at, id);
    }
    std::ranges::sort(places, std::greater<>());
    std::vector<SessionId> ids;
    for (const auto& [at, id] : places) ids.push_back(id);
    return ids;
  }
  // Page by page, by place or by number.
  std::vector<SessionId> listed(const std::optional<std::string>& user_id, std::uint32_t limit, bool by_place) {
    std::vector<SessionId> ids;
    StoreReader::SessionQuery query{.user_id = user_id, .limit = limit};
    for (;;) {
      const auto page = reader_->sessions(query);
      if (!page || page->items.empty() || ids.size() > sessions_.size()) return ids;
      for (const api::Session& session : page->items) ids.push_back(session.id);
      if (by_place) {
        query.after = {page->items.back().updated_at, page->items.back().id};
      } else {
        query.offset += limit;
      }
    }
  }

  std::filesystem::path folder_;
  std::vector<SessionId> sessions_;
};

TEST_F(SessionPeriodTest, ListsAreInTheOrderOfTheTimes) {
  std::mt19937 random(3);
  for (int i = 0; i < 25; ++i) sessions_.push_back(begin_session(i % 3 == 0 ? "bob" : "ann"));
  use_sessions(random);
  for (const std::optional<std::string>& user : {std::optional<std::string>(), {"ann"}, {"bob"}, {"nobody"}}) {
    for (const std::uint32_t limit : {1u, 4u, 100u}) {
      for (const bool by_place : {true, false}) EXPECT_EQ(listed(user, limit, by_place), expected(user));
    }
  }
  EXPECT_EQ(query_integer(folder_, "SELECT count(*) FROM session WHERE period <> updated_at >> 13"), 0);
  EXPECT_GT(query_integer(folder_, "SELECT count(DISTINCT period) FROM session"), 3);
}

TEST_F(SessionPeriodTest, OfTwoTimes) {
  EXPECT_TRUE(is_same_period({8'192}, {16'383}));
  EXPECT_FALSE(is_same_period({8'191}, {8'192}));
}

TEST_F(SessionPeriodTest, AClockThatStepsBackMovesNothing) {
  const SessionId session = begin_session();
  const WallTime before = reader_->session(session)->updated_at;
  NewRun write = a_run(session);
  write.run.created_at = {before.ms - 60'000};
  testing::LiveRunView run = begin_run(write);
  Append end = an_end(run);
  end.effects.touch().ended_at = WallTime{before.ms - 50'000};
  append(run, end);
  EXPECT_EQ(reader_->session(session)->updated_at, before);
  EXPECT_EQ(query_integer(folder_, "SELECT count(*) FROM session WHERE period <> updated_at >> 13"), 0);
}

}  // namespace
}  // namespace braidlog::store
