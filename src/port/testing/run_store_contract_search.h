// Part of run_store_contract.h: runs are found among those of all sessions.
#pragma once

#include "base/utf8.h"
#include "port/testing/run_store_fixture.h"

namespace braidlog::testing {

class RunSearchContract : public RunStoreContract {
 protected:
  struct Made {
    std::string user = "ann", title = "Title", agent = "writer", text = "hello";
  };
  // A run at work in a session of its own.
  LiveRunView make(const Made& made) {
    api::Session session = a_session(made.user);
    session.title = made.title;
    expect_ok(commit_one(NewSession{session}));
    NewRun write = a_run(session.id);
    write.run.user_id = made.user;
    write.run.agent = made.agent;
    write.text = made.text;
    return begin_run(write);
  }
  std::vector<RunId> found(const RunQuery& query) {
    const auto runs = reader_->find_runs(query);
    EXPECT_TRUE(runs) << runs.error().message;
    std::vector<RunId> ids;
    if (!runs) return ids;
    for (const auto& item : runs->items) ids.push_back(item.run.id);
    next_ = runs->next;
    return ids;
  }
  std::vector<RunId> found(std::string words) { return found(RunQuery{.words = std::move(words)}); }

  std::optional<RunId> next_;
};

TEST_P(RunSearchContract, NewestFirstWithTitleAndText) {
  LiveRunView first = make({.title = "Rivers", .text = "a story"});
  const LiveRunView second = make({.title = "Lakes", .agent = "planner", .text = "Grüße"});
  Append end = an_end(first, RunStatus::kFailed);
  end.effects.touch().failure = FailureCode::kInternal;
  end.effects.touch().failure_message = "broken";
  append(first, end);
  for (int i = 0; i < 2; ++i, reopen()) {
    const auto runs = reader_->find_runs({});
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs->items.size(), 2u);
    EXPECT_FALSE(runs->next);
    EXPECT_EQ(runs->items[0].run.id, second.id);
    EXPECT_EQ(runs->items[0].session_title, "Lakes");
    EXPECT_EQ(runs->items[0].text, "Grüße");
    EXPECT_EQ(runs->items[0].run.agent, "planner");
    EXPECT_EQ(runs->items[0].run.status, RunStatus::kRunning);
    EXPECT_EQ(runs->items[1].run.session_id, first.session_id);
    EXPECT_EQ(runs->items[1].session_title, "Rivers");
    EXPECT_EQ(runs->items[1].run.status, RunStatus::kFailed);
    EXPECT_EQ(runs->items[1].run.failure_message, "broken");
    EXPECT_EQ(runs->items[1].run.last, first.last);
  }
}

TEST_P(RunSearchContract, ByUserSessionStatusAndAgent) {
  LiveRunView anns = make({.agent = "planner"});
  const LiveRunView bobs = make({.user = "bob"});
  end_run(anns);
  const LiveRunView again = begin_run(a_run(anns.session_id));
  EXPECT_EQ(found(RunQuery{.user_id = "ann"}), (std::vector{again.id, anns.id}));
  EXPECT_EQ(found(RunQuery{.user_id = "bob"}), std::vector{bobs.id});
  EXPECT_EQ(found(RunQuery{.user_id = "cid"}), std::vector<RunId>{});
  EXPECT_EQ(found(RunQuery{.session_id = anns.session_id}), (std::vector{again.id, anns.id}));
  EXPECT_EQ(found(RunQuery{.user_id = "bob", .session_id = anns.session_id}), std::vector<RunId>{});
  EXPECT_EQ(found(RunQuery{.status = RunStatus::kCompleted}), std::vector{anns.id});
  EXPECT_EQ(found(RunQuery{.user_id = "ann", .status = RunStatus::kRunning}), std::vector{again.id});
  EXPECT_EQ(found(RunQuery{.agent = "planner"}), std::vector{anns.id});
  EXPECT_EQ(found(RunQuery{.agent = "plan"}), std::vector<RunId>{}) << "a filter, not a search";
}

TEST_P(RunSearchContract, WordsStandInTextsAndIds) {
  const LiveRunView rivers = make({.title = "About RIVERS", .agent = "writer", .text = "50% of _all_ water"});
  const LiveRunView lakes = make({.title = "Über Seen", .agent = "planner", .text = "Was ist der Bodensee?"});
  EXPECT_EQ(found("rivers"), std::vector{rivers.id});
  EXPECT_EQ(found("out riv"), std::vector{rivers.id});
  EXPECT_EQ(found("PLAN"), std::vector{lakes.id});
  EXPECT_EQ(found("bodenSEE?"), std::vector{lakes.id});
  EXPECT_EQ(found("über"), std::vector{lakes.id}) << "letters of other languages have two cases too";
  EXPECT_EQ(found("50% of _a"), std::vector{rivers.id});
  EXPECT_EQ(found("50_"), std::vector<RunId>{}) << "nothing in it has a meaning of its own";
  EXPECT_EQ(found("%"), std::vector{rivers.id});
  EXPECT_EQ(found("rivers water"), std::vector<RunId>{}) << "one text, not two";

  EXPECT_EQ(found(to_prefixed(rivers.id)), std::vector{rivers.id});
  EXPECT_EQ(found(to_uuid(rivers.id)), std::vector{rivers.id});
  EXPECT_EQ(found(to_uuid(lakes.session_id)), std::vector{lakes.id});
  EXPECT_EQ(found(to_prefixed(lakes.session_id)), std::vector{lakes.id});
  EXPECT_EQ(found(fold_case(to_prefixed(rivers.id)).substr(12)), std::vector{rivers.id}) << "a part of it";
  EXPECT_TRUE(found("run_").empty());  // it is in all of them, and says nothing
}

TEST_P(RunSearchContract, PageByPage) {
  std::vector<RunId> made;
  for (int i = 0; i < 5; ++i) made.insert(made.begin(), make({}).id);
  RunQuery query{.user_id = "ann", .limit = 2};
  std::vector<RunId> seen;
  for (int page = 0; page < 3; ++page) {
    const auto ids = found(query);
    EXPECT_EQ(ids.size(), page == 2 ? 1u : 2u);
    seen.insert(seen.end(), ids.begin(), ids.end());
    EXPECT_EQ(next_, page == 2 ? std::nullopt : std::optional(ids.back()));
    query.before = next_;
  }
  EXPECT_EQ(seen, made);
  query.before = made[4];
  EXPECT_EQ(found(query), std::vector<RunId>{});
  query = {.limit = 5};
  EXPECT_EQ(found(query), made);
  EXPECT_FALSE(next_) << "the page is full, and nothing is left";
}

TEST_P(RunSearchContract, StopsWhenItHasLookedAtEnough) {
  std::vector<RunId> made;
  for (int i = 0; i < 5; ++i) made.insert(made.begin(), make({.text = i == 0 ? "needle" : "hay"}).id);
  RunQuery query{.words = "needle", .looked_at_max = 2};
  EXPECT_EQ(found(query), std::vector<RunId>{});
  EXPECT_EQ(next_, made[1]);
  query.before = next_;
  EXPECT_EQ(found(query), std::vector<RunId>{});
  EXPECT_EQ(next_, made[3]);
  query.before = next_;
  EXPECT_EQ(found(query), std::vector{made[4]});
  EXPECT_FALSE(next_);
}

TEST_P(RunSearchContract, RunsThatWaitAreThereToo) {
  const LiveRunView run = make({.text = "first"});
  NewRun next = a_run(run.session_id);
  next.text = "second";
  next.may_wait = true;
  next.waiting_max = 1;
  next.first_record_bytes = next.records.size();
  expect_ok(commit_one(next));
  EXPECT_EQ(found("second"), std::vector{next.run.id});
  EXPECT_EQ(found(RunQuery{.status = RunStatus::kQueued}), std::vector{next.run.id});
}

}  // namespace braidlog::testing
