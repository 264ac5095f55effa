// Runs and their streams.
#include "dialect/testing/runs_fixture.h"

namespace braidlog::runs {
namespace {

class Runs : public RunsFixture {
 protected:
  const std::string of_session = "/api/v1/sessions/" + std::string(kSession) + "/runs";
  const std::string path = of_session + "/" + kRun;

  OpenStream open(std::string target, Headers headers = {}) {
    return stream(call(Method::kGet, std::move(target), {}, std::move(headers)));
  }
};

TEST_F(Runs, StatusOnEveryRoute) {
  auto found = run(RunStatus::kCompleted);
  found.started_at = WallTime{1'771'102'980'250};
  found.ended_at = WallTime{1'771'102'983'000};
  found.usage = Usage{.input_tokens = 1, .output_tokens = 2};
  service.reply<api::GetRun>(found);
  for (const std::string& target : {path, "/api/v1/runs/" + std::string(kRun), "/runs/" + std::string(kRun)}) {
    const auto response = get(target);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body,
              R"({"run_id":"run_01KHF0000070008000000000R1","session_id":"sess_01KHF0000070008000000000S1",)"
              R"("status":"completed","started_at":"2026-02-14T21:03:00.250Z","ended_at":"2026-02-14T21:03:03.000Z",)"
              R"("error":null,"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}})");
    EXPECT_EQ(service.asked<api::GetRun>().back().id, run_id);
  }
  EXPECT_EQ(service.asked<api::GetRun>().at(0).session_id, session_id);
  EXPECT_EQ(service.asked<api::GetRun>().at(1).session_id, std::nullopt);
  EXPECT_EQ(service.asked<api::GetRun>().at(2).session_id, std::nullopt);
}

TEST_F(Runs, EveryStatusHasItsName) {
  const std::pair<RunStatus, const char*> names[] = {{RunStatus::kQueued, "queued"},
                                                     {RunStatus::kRunning, "running"},
                                                     {RunStatus::kWaitingApproval, "waiting_approval"},
                                                     {RunStatus::kInterrupting, "interrupting"},
                                                     {RunStatus::kCompleted, "completed"},
                                                     {RunStatus::kFailed, "failed"},
                                                     {RunStatus::kInterrupted, "interrupted"}};
  for (const auto& [status, name] : names) {
    service.reply<api::GetRun>(run(status));
    EXPECT_NE(get(path).body.find("\"status\":\"" + std::string(name) + "\""), std::string::npos) << name;
  }
}

TEST_F(Runs, AFailedRunSaysWhy) {
  const std::pair<FailureCode, const char*> codes[] = {{FailureCode::kProvider, "PROVIDER_ERROR"},
                                                       {FailureCode::kProviderTimeout, "PROVIDER_TIMEOUT"},
                                                       {FailureCode::kRateLimited, "RATE_LIMITED"},
                                                       {FailureCode::kUpstreamTruncated, "UPSTREAM_TRUNCATED"},
                                                       {FailureCode::kMaxSteps, "MAX_STEPS"},
                                                       {FailureCode::kLimitExceeded, "LIMIT_EXCEEDED"},
                                                       {FailureCode::kStorage, "STORAGE_ERROR"},
                                                       {FailureCode::kInternal, "INTERNAL_ERROR"},
                                                       {static_cast<FailureCode>(250), "INTERNAL_ERROR"}};
  for (const auto& [code, name] : codes) {
    auto failed = run(RunStatus::kFailed);
    failed.failure = code;
    failed.failure_message = "It broke";
    service.reply<api::GetRun>(failed);
    EXPECT_NE(get(path).body.find(R"("started_at":null,"ended_at":null,"error":{"code":")" + std::string(name) +
                                  R"(","message":"It broke"},"usage":null)"),
              std::string::npos)
        << name;
  }
}

TEST_F(Runs, ListHoldsTheSameBodies) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  service.reply<api::ListRuns>(api::RunList{run(RunStatus::kRunning), run(RunStatus::kRunning)});
  const std::string one = get(path).body;
  const auto response = get(of_session);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "{\"items\":[" + one + "," + one + "]}");
  EXPECT_EQ(service.asked<api::ListRuns>().at(0).session_id, session_id);
  service.reply<api::ListRuns>(api::RunList{});
  EXPECT_EQ(get(of_session).body, R"({"items":[]})");
}

TEST_F(Runs, Interrupt) {
  service.reply<api::Interrupt>(run(RunStatus::kInterrupting));
  const auto response = post(path + "/interrupt");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, R"({"run_id":"run_01KHF0000070008000000000R1","status":"interrupting"})");
  EXPECT_EQ(service.asked<api::Interrupt>().at(0).id, run_id);
  EXPECT_EQ(service.asked<api::Interrupt>().at(0).session_id, session_id);
  EXPECT_EQ(service.asked<api::Interrupt>().at(0).reason, "user");
}

TEST_F(Runs, InterruptOfAFinishedRunTellsItsStatus) {
  service.reply<api::Interrupt>(run(RunStatus::kFailed));
  const auto response = post(path + "/interrupt");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"run_id":"run_01KHF0000070008000000000R1","status":"failed"})");
}

TEST_F(Runs, MalformedIdsAreNotFound) {
  for (const char* end : {"", "/stream"}) {
    EXPECT_EQ(error_of(get(of_session + "/nope" + end)), "404 RUN_NOT_FOUND");
    EXPECT_EQ(error_of(get("/api/v1/sessions/nope/runs/" + std::string(kRun) + end)), "404 SESSION_NOT_FOUND");
    EXPECT_EQ(error_of(get("/api/v1/runs/nope" + std::string(end))), "404 RUN_NOT_FOUND");
    EXPECT_EQ(error_of(get("/runs/nope" + std::string(end))), "404 RUN_NOT_FOUND");
  }
  EXPECT_EQ(error_of(get("/api/v1/sessions/nope/runs")), "404 SESSION_NOT_FOUND");
  EXPECT_EQ(error_of(post(of_session + "/nope/interrupt")), "404 RUN_NOT_FOUND");
  EXPECT_EQ(error_of(post("/api/v1/sessions/nope/runs/" + std::string(kRun) + "/interrupt")), "404 SESSION_NOT_FOUND");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(Runs, WhatTheServiceRefuses) {
  service.reply<api::GetRun>(fail(ErrorCode::kRunNotFound, "Run not found"));
  service.reply<api::ListRuns>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  service.reply<api::Interrupt>(fail(ErrorCode::kRunNotFound, "Run not found"));
  EXPECT_EQ(error_of(get(path)), "404 RUN_NOT_FOUND");
  EXPECT_EQ(error_of(get(path + "/stream")), "404 RUN_NOT_FOUND");
  EXPECT_EQ(error_of(get("/runs/" + std::string(kRun) + "/stream")), "404 RUN_NOT_FOUND");
  EXPECT_EQ(error_of(get(of_session)), "404 SESSION_NOT_FOUND");
  EXPECT_EQ(error_of(post(path + "/interrupt")), "404 RUN_NOT_FOUND");
}

// ---- streams ----

TEST_F(Runs, StreamFromTheStart) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  for (const std::string& target :
       {path + "/stream", "/api/v1/runs/" + std::string(kRun) + "/stream", "/runs/" + std::string(kRun) + "/stream",
        "/runs/" + to_uuid(run_id) + "/stream?contract=runs"}) {
    const auto stream = open(target);
    EXPECT_EQ(stream.run_id, run_id);
    EXPECT_EQ(stream.contract, "runs");
    EXPECT_EQ(stream.after, std::nullopt);
  }
  EXPECT_EQ(service.asked<api::GetRun>().at(0).session_id, session_id);
}

TEST_F(Runs, StreamResumesByHeaderOrQuery) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  const EventId at5{run_id, {5}, std::nullopt};
  EXPECT_EQ(open(path + "/stream", {{"last-event-id", event_id(5)}}).after, at5);
  EXPECT_EQ(open(path + "/stream?last_event_id=" + event_id(5)).after, at5);
  EXPECT_EQ(open(path + "/stream?last_event_id=" + event_id(3), {{"Last-Event-ID", event_id(5)}}).after, at5)
      << "the header wins";
  EXPECT_EQ(open(path + "/stream?last_event_id=" + event_id(5), {{"Last-Event-ID", ""}}).after, at5)
      << "an empty header is none";
  EXPECT_EQ(open("/runs/" + std::string(kRun) + "/stream", {{"Last-Event-ID", event_id(5) + ".c2"}}).after,
            (EventId{run_id, {5}, FramePart{'c', 2}}));
}

TEST_F(Runs, AnIdThatIsNotOfThisRunReplaysFromTheStart) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  for (const std::string& id : {event_id(5, kOtherRun), std::string("garbage"), std::string("5"), event_id(5) + "x",
                                std::string(1 << 20, 'e')}) {
    EXPECT_EQ(open(path + "/stream", {{"Last-Event-ID", id}}).after, std::nullopt);
  }
  EXPECT_EQ(open(path + "/stream?last_event_id=" + event_id(5), {{"Last-Event-ID", "garbage"}}).after, std::nullopt)
      << "the header wins, whatever it says";
}

TEST_F(Runs, AnIdFromTheFutureOfAFinishedRunIsNotOfThisRun) {
  service.reply<api::GetRun>(run(RunStatus::kCompleted));
  EXPECT_EQ(open(path + "/stream", {{"Last-Event-ID", event_id(9)}}).after, (EventId{run_id, {9}, std::nullopt}));
  EXPECT_EQ(open(path + "/stream", {{"Last-Event-ID", event_id(10)}}).after, std::nullopt);
}

TEST_F(Runs, AnyRunInAnyContract) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  for (const char* contract : {"steps", "runs", "chat", "conversation", "tasks", "all"}) {
    const std::string query = "/stream?contract=" + std::string(contract);
    EXPECT_EQ(open("/runs/" + std::string(kRun) + query).contract, contract);
    EXPECT_EQ(open("/api/v1/runs/" + std::string(kRun) + query).contract, contract);
    EXPECT_EQ(open(path + query).contract, "runs") << "a URL of the contract's own speaks nothing else";
  }
}

// Its frames have no ids: whatever a client says it has, it was not a frame of this stream.
TEST_F(Runs, InTasksAStreamBeginsAtItsFirstFrame) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  const std::string target = "/runs/" + std::string(kRun) + "/stream?contract=";
  const Headers last{{"Last-Event-ID", event_id(5)}};
  EXPECT_EQ(open(target + "tasks", last).after, std::nullopt);
  EXPECT_EQ(open(target + "tasks&last_event_id=" + event_id(5)).after, std::nullopt);
  EXPECT_NE(open(target + "all", last).after, std::nullopt);
}

TEST_F(Runs, AnUnknownContractIsRefusedBeforeTheRunIsLookedUp) {
  for (const char* query : {"contract=", "contract=nope", "contract=RUNS", "contract=runs%20", "contract=%ff"}) {
    EXPECT_EQ(error_of(get("/api/v1/runs/nope/stream?" + std::string(query))), "400 BAD_REQUEST") << query;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(Runs, PastRetentionTheStatusStaysAndTheStreamIsGone) {
  auto old = run(RunStatus::kCompleted);
  old.replayable = false;
  service.reply<api::GetRun>(old);
  EXPECT_EQ(get(path).status, 200);
  EXPECT_EQ(error_of(get(path + "/stream")), "410 REPLAY_UNAVAILABLE");
  EXPECT_EQ(error_of(get("/runs/" + std::string(kRun) + "/stream", {{"Last-Event-ID", event_id(9)}})),
            "410 REPLAY_UNAVAILABLE");
}

}  // namespace
}  // namespace braidlog::runs
