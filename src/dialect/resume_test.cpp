#include "dialect/resume.h"

#include <gtest/gtest.h>

#include "dialect/testing/call_route.h"
#include "dialect/testing/fake_service.h"

namespace braidlog {
namespace {

constexpr char kId[] = "evt_01KHF0000070008000000000R1_0000000005";
const RunId kRunId = *RunId::parse("01KHF0000070008000000000R1");

HttpResponse told(const Error& error) {
  return HttpResponse::json(400, name_of(error.code));
}

class Resume : public ::testing::Test {
 protected:
  testing::FakeService service;

  static HttpRequest request(std::vector<HttpHeader> headers, std::string target = "/") {
    HttpRequest request;
    request.target = std::move(target);
    split_target(request);
    request.headers = std::move(headers);
    return request;
  }
  Answer resume(std::string id) {
    auto answer = resume_run(request({{"Last-Event-ID", std::move(id)}}), {"chat", told, ViewerRole::kTakesPlace});
    EXPECT_TRUE(answer);
    return testing::settle(std::move(*answer), service, {"u", false});
  }
  int status(std::string id) {
    const auto answer = resume(std::move(id));
    const auto* response = std::get_if<HttpResponse>(&answer);
    return response == nullptr ? 0 : response->status;
  }
  static api::Run run(RunStatus status) {
    api::Run run;
    run.id = kRunId;
    run.status = status;
    run.last = {9};
    return run;
  }
};

TEST_F(Resume, TheHeaderWinsAndEmptyIsNone) {
  EXPECT_EQ(last_event_id_text(request({})), std::nullopt);
  EXPECT_EQ(last_event_id_text(request({{"last-event-id", ""}}, "/?last_event_id=")), std::nullopt);
  EXPECT_EQ(last_event_id_text(request({{"last-event-id", ""}}, "/?last_event_id=b")), "b");
  EXPECT_EQ(last_event_id_text(request({{"last-event-id", "a"}}, "/?last_event_id=b")), "a");
  EXPECT_EQ(last_event_id(request({{"last-event-id", "a"}})), std::nullopt);
  EXPECT_EQ(last_event_id(request({}, std::string("/?last_event_id=") + kId)), parse_event_id(kId));
}

TEST_F(Resume, WithoutAnIdThereIsNothingToResume) {
  EXPECT_FALSE(resume_run(request({}), {"chat", told}));
  EXPECT_FALSE(resume_run(request({{"Last-Event-ID", ""}}), {"chat", told}));
}

TEST_F(Resume, AnOwnRunGoesOn) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  const auto answer = resume(kId);
  const auto* stream = std::get_if<OpenStream>(&answer);
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->run_id, kRunId);
  EXPECT_EQ(stream->contract, "chat");
  EXPECT_EQ(stream->after, parse_event_id(kId));
  EXPECT_EQ(stream->role, ViewerRole::kTakesPlace);
  EXPECT_EQ(service.asked<api::GetRun>().at(0).id, kRunId);
  EXPECT_TRUE(service.asked<api::GetRun>().at(0).own) << "also for an admin";
}

// An admin may read the runs of others, where they stand below their session.
TEST_F(Resume, OfASessionEveryRunThatTheCallerMaySee) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  ResumeRule rule{"steps", told};
  rule.session_id = SessionId{kRunId.value};
  auto answer = resume_run(request({{"Last-Event-ID", kId}}), rule);
  ASSERT_TRUE(answer);
  answer = testing::settle(std::move(*answer), service, {"u", false});
  EXPECT_TRUE(std::holds_alternative<OpenStream>(*answer));
  EXPECT_EQ(service.asked<api::GetRun>().at(0).session_id, rule.session_id);
  EXPECT_FALSE(service.asked<api::GetRun>().at(0).own);
}

TEST_F(Resume, EveryOtherIdIs204) {
  EXPECT_EQ(status("nope"), 204);
  EXPECT_EQ(status(std::string(1 << 20, 'x')), 204);
  EXPECT_EQ(service.asked_count(), 0u);
  for (const auto code : {ErrorCode::kRunNotFound, ErrorCode::kSessionNotFound}) {
    service.reply<api::GetRun>(fail(code, ""));
    EXPECT_EQ(status(kId), 204);
  }
  service.reply<api::GetRun>(run(RunStatus::kCompleted));
  EXPECT_EQ(status("evt_01KHF0000070008000000000R1_0000000010"), 204) << "the run has nine events";
  EXPECT_EQ(status("evt_01KHF0000070008000000000R1_0000000009"), 0);
}

TEST_F(Resume, WhatIsGoneOrCannotBeReadIsTold) {
  auto old = run(RunStatus::kCompleted);
  old.replayable = false;
  service.reply<api::GetRun>(old);
  EXPECT_EQ(std::get<HttpResponse>(resume(kId)).body, "gone");
  service.reply<api::GetRun>(fail(ErrorCode::kUnavailable, ""));
  EXPECT_EQ(std::get<HttpResponse>(resume(kId)).body, "unavailable");
}

}  // namespace
}  // namespace braidlog
