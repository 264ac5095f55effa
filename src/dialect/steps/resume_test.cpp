// Clients that come back to /sessions/{id}/stream.
#include "dialect/testing/steps_fixture.h"

namespace braidlog::steps {
namespace {

class StepsResume : public StepsFixture {
 protected:
  StepsResume() { service.reply<api::GetSession>(session()); }
  const std::string link = path + "?query=Hi";
};

TEST_F(StepsResume, AnIdBringsTheRestAndStartsNothing) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  const Headers header{{"Last-Event-ID", event_id(5)}};
  Answer answers[] = {call(Method::kGet, link, "", header),
                      call(Method::kGet, path, "", header),
                      call(Method::kGet, path + "?last_event_id=" + event_id(5)),
                      call(Method::kGet, link + "&last_event_id=nope", "", header),
                      call(Method::kPost, path, "", header),
                      call(Method::kPost, path, "not json", header),
                      call(Method::kPost, path, R"({"query":"Another"})", header)};
  for (auto& answer : answers) {
    const auto shown = stream(std::move(answer));
    EXPECT_EQ(shown.run_id, run_id);
    EXPECT_EQ(shown.contract, "steps");
    EXPECT_EQ(shown.after, (EventId{run_id, {5}, std::nullopt}));
    EXPECT_EQ(shown.role, ViewerRole::kViewer);
  }
  EXPECT_EQ(started(), 0u);
  const auto& asked = service.asked<api::GetRun>().at(0);
  EXPECT_EQ(asked.id, run_id);
  EXPECT_EQ(asked.session_id, session_id) << "a run of this session";
  EXPECT_FALSE(asked.own) << "an admin may read";
}

TEST_F(StepsResume, APartOfAFrameIsKept) {
  service.reply<api::GetRun>(run(RunStatus::kCompleted));
  const auto shown = stream(call(Method::kGet, path, "", {{"Last-Event-ID", event_id(9) + ".s0"}}));
  EXPECT_EQ(shown.after, (EventId{run_id, {9}, FramePart{'s', 0}}));
}

TEST_F(StepsResume, EveryOtherIdGetsNothing) {
  service.reply<api::GetRun>(fail(ErrorCode::kRunNotFound, "Run not found"));
  for (const std::string& id : {std::string("nope"), event_id(5), event_id(5, kOtherRun), std::string(1 << 20, 'x')}) {
    const Headers header{{"Last-Event-ID", id}};
    EXPECT_EQ(response(call(Method::kGet, link, "", header)).status, 204);
    EXPECT_EQ(response(call(Method::kPost, path, R"({"query":"Hi"})", header)).status, 204);
  }
  EXPECT_EQ(get(link + "&last_event_id=nope").status, 204);
  service.reply<api::GetRun>(run(RunStatus::kCompleted));
  EXPECT_EQ(get(link, {{"Last-Event-ID", event_id(10)}}).status, 204) << "an event that the run does not have";
  EXPECT_EQ(started(), 0u);
}

TEST_F(StepsResume, TheSessionMustBeThere) {
  const Headers header{{"Last-Event-ID", event_id(5)}};
  EXPECT_EQ(error_of(get("/sessions/nope/stream", header)), "404 Session not found");
  service.reply<api::GetSession>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  EXPECT_EQ(error_of(get(path, header)), "404 Session not found");
  EXPECT_EQ(error_of(get(path, {{"Last-Event-ID", "nope"}})), "404 Session not found");
  EXPECT_EQ(started() + service.asked<api::GetRun>().size(), 0u);
}

TEST_F(StepsResume, PastRetention) {
  auto old = run(RunStatus::kCompleted);
  old.replayable = false;
  service.reply<api::GetRun>(old);
  EXPECT_EQ(error_of(get(path, {{"Last-Event-ID", event_id(5)}})), "410 The events of this run are gone");
}

TEST_F(StepsResume, AnEmptyIdIsNone) {
  stream(call(Method::kGet, link + "&last_event_id=", "", {{"Last-Event-ID", ""}}));
  EXPECT_EQ(started(), 1u);
}

}  // namespace
}  // namespace braidlog::steps
