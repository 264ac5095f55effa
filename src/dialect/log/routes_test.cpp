#include "dialect/log/routes.h"

#include "dialect/testing/route_fixture.h"

namespace braidlog {
namespace {

class LogRoutes : public testing::RouteFixture<LogDialect> {
 protected:
  static std::string error_of(const HttpResponse& response) {
    const auto body = parse_json(response.body);
    EXPECT_TRUE(body && body->as_object().size() == 1) << response.body;
    return body ? std::string(body->at("error").as_string()) : "";
  }
  OpenWatch watch(std::string query) {
    auto answer = call(Method::kGet, "/watch" + query);
    auto* found = std::get_if<OpenWatch>(&answer);
    EXPECT_TRUE(found) << query;
    return found ? std::move(*found) : OpenWatch{};
  }
  void expect_refused(std::string query, std::string_view why) {
    const auto response = get("/watch" + query);
    EXPECT_EQ(response.status, 400) << query;
    EXPECT_NE(error_of(response).find(why), std::string::npos) << response.body;
    EXPECT_EQ(service.asked_count(), 0u);
  }
};

TEST_F(LogRoutes, TheLogOfARunFromTheStartOrAfterAnEvent) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  const std::string path = std::string("/runs/") + testing::kRun + "/log";
  const auto whole = stream(call(Method::kGet, path));
  EXPECT_EQ(whole.run_id, run_id);
  EXPECT_EQ(whole.contract, "log");
  EXPECT_FALSE(whole.after);
  EXPECT_EQ(whole.role, ViewerRole::kViewer);
  EXPECT_EQ(stream(call(Method::kGet, path, {}, {{"Last-Event-ID", event_id(5)}})).after->sequence, Sequence{5});
  EXPECT_EQ(stream(call(Method::kGet, path + "?last_event_id=" + event_id(6))).after->sequence, Sequence{6});
  EXPECT_FALSE(stream(call(Method::kGet, path, {}, {{"Last-Event-ID", event_id(5, testing::kOtherRun)}})).after)
      << "an id of another run is none";
}

TEST_F(LogRoutes, ALogThatIsNotThere) {
  EXPECT_EQ(get("/runs/nonsense/log").status, 404);
  service.reply<api::GetRun>(fail(ErrorCode::kRunNotFound, "Run not found"));
  const auto unknown = get(std::string("/runs/") + testing::kRun + "/log");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(error_of(unknown), "Run not found");
  auto expired = run(RunStatus::kCompleted);
  expired.replayable = false;
  service.reply<api::GetRun>(expired);
  const auto gone = get(std::string("/runs/") + testing::kRun + "/log");
  EXPECT_EQ(gone.status, 410);
  EXPECT_EQ(error_of(gone), "The events of this run are gone");
}

TEST_F(LogRoutes, ManyRunsInOneStream) {
  const auto open = watch(std::string("?watch=log:") + testing::kRun + "&watch=all:" + testing::kRun + ":" +
                          event_id(7) + "&notices=1&scope=all");
  ASSERT_EQ(open.watches.size(), 2u);
  EXPECT_EQ(open.watches[0].view, "log");
  EXPECT_EQ(open.watches[0].run, testing::kRun);
  EXPECT_EQ(open.watches[0].run_id, run_id);
  EXPECT_FALSE(open.watches[0].after);
  EXPECT_EQ(open.watches[1].view, "all");
  EXPECT_EQ(open.watches[1].after->sequence, Sequence{7});
  EXPECT_TRUE(open.notices);
  EXPECT_TRUE(open.everybody);
}

TEST_F(LogRoutes, NothingToWatchIsAStreamToo) {
  const auto open = watch("");
  EXPECT_TRUE(open.watches.empty());
  EXPECT_FALSE(open.notices);
  EXPECT_FALSE(open.everybody);
  EXPECT_FALSE(watch("?notices=0").notices);
}

TEST_F(LogRoutes, AWatchSpellsItsRunAsItLikes) {
  const auto open = watch("?watch=log:019c5e00-0000-7000-8000-000000000051&watch=log:nobody_has-this1");
  EXPECT_TRUE(open.watches[0].run.starts_with("run_0")) << "frames name it in one way";
  EXPECT_TRUE(open.watches[0].run_id);
  EXPECT_EQ(open.watches[1].run, "nobody_has-this1") << "the stream refuses it under its own name";
  EXPECT_FALSE(open.watches[1].run_id);
}

TEST_F(LogRoutes, WhatIsNoWatchIsRefused) {
  const std::string log_of = std::string("?watch=log:") + testing::kRun;
  expect_refused("?watch=", "VIEW:RUN");
  expect_refused("?watch=log", "VIEW:RUN");
  expect_refused("?watch=:" + std::string(testing::kRun), "must begin with");
  for (const char* contract : {"runs", "chat", "steps", "conversation", "tasks", "LOG", "nonsense"}) {
    expect_refused(std::string("?watch=") + contract + ":" + testing::kRun, "must begin with");
  }
  for (const char* run : {"", "%0Aevent:%20over", "a%20b", "%C3%A9", "a/b"}) {
    expect_refused(std::string("?watch=log:") + run, "must name a run");
  }
  expect_refused("?watch=log:" + std::string(65, 'a'), "must name a run");
  expect_refused(log_of + ":", "the id of an event");
  expect_refused(log_of + ":evt_1", "the id of an event");
  expect_refused(log_of + ":" + event_id(3, testing::kOtherRun), "of its run");
  expect_refused("?watch=log:nobody:" + event_id(3), "of its run");
  expect_refused("?notices=yes", "0 or 1");
  expect_refused("?scope=mine", "scope");
}

TEST_F(LogRoutes, OnlySoManyWatches) {
  limits.watches_max = 2;
  const std::string one = std::string("watch=log:") + testing::kRun;
  EXPECT_EQ(watch("?" + one + "&" + one).watches.size(), 2u);
  expect_refused("?" + one + "&" + one + "&" + one, "at most 2 times");
}

TEST(LogErrors, HaveOneShape) {
  const LogDialect dialect;
  for (const ErrorCode code : testing::kEveryErrorCode) {
    const auto response = dialect.error({code, "What went wrong", ""}, {});
    const auto body = parse_json(response.body);
    ASSERT_TRUE(body && body->is_object()) << response.body;
    EXPECT_EQ(body->as_object().size(), 1u);
    EXPECT_FALSE(body->at("error").as_string().empty());
    EXPECT_GE(response.status, 400);
  }
}

TEST(LogDialectTest, OwnsWhatNobodyElseHas) {
  const LogDialect dialect;
  EXPECT_EQ(dialect.name(), "log");
  EXPECT_EQ(dialect.part_mark(), 'l');
  EXPECT_TRUE(dialect.owns_path("/watch"));
  EXPECT_FALSE(dialect.owns_path("/watch/more"));
  EXPECT_FALSE(dialect.owns_path("/runs/x/log"));
}

}  // namespace
}  // namespace braidlog
