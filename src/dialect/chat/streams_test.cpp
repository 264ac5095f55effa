// Clients that come back, and requests that come twice.
#include "dialect/testing/chat_fixture.h"
#include "wire/testing/encode_base64.h"

namespace braidlog::chat {
namespace {

class ChatStreams : public ChatFixture {
 protected:
  const std::string link = std::string(kStream) + "?message=Hi";
  static constexpr char kBody[] = R"({"message":"Hi"})";
};

TEST_F(ChatStreams, AnIdResumesItsRunAndStartsNothing) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  const Headers header{{"Last-Event-ID", event_id(5)}};
  Answer answers[] = {call(Method::kPost, kStream, "", header),
                      call(Method::kPost, kStream, "not json", header),
                      call(Method::kPost, kStream, R"({"message":"Another"})", header),
                      call(Method::kGet, link, "", header),
                      call(Method::kGet, kStream, "", header),
                      call(Method::kGet, std::string(kStream) + "?last_event_id=" + event_id(5)),
                      call(Method::kPost, std::string(kStream) + "?last_event_id=" + event_id(5), "")};
  for (auto& answer : answers) {
    const auto shown = stream(std::move(answer));
    EXPECT_EQ(shown.run_id, run_id);
    EXPECT_EQ(shown.contract, "chat");
    EXPECT_EQ(shown.after, (EventId{run_id, {5}, std::nullopt}));
    EXPECT_EQ(shown.role, ViewerRole::kTakesPlace);
  }
  EXPECT_EQ(started(), 0u);
  EXPECT_EQ(service.asked<api::GetRun>().at(0).id, run_id);
  EXPECT_TRUE(service.asked<api::GetRun>().at(0).own) << "an admin's own too";
}

TEST_F(ChatStreams, AnyOtherIdGetsNothing) {
  service.reply<api::GetRun>(fail(ErrorCode::kRunNotFound, "Run not found"));
  for (const std::string& id :
       {std::string("nope"), event_id(5), event_id(5, kOtherRun), std::string(1 << 20, 'x'), std::string("0")}) {
    const Headers header{{"Last-Event-ID", id}};
    EXPECT_EQ(response(call(Method::kPost, kStream, kBody, header)).status, 204);
    EXPECT_EQ(response(call(Method::kGet, link, "", header)).status, 204);
  }
  EXPECT_EQ(response(call(Method::kGet, link + "&last_event_id=nope")).status, 204);
  service.reply<api::GetRun>(run(RunStatus::kCompleted));
  EXPECT_EQ(response(call(Method::kGet, link, "", {{"Last-Event-ID", event_id(10)}})).status, 204)
      << "an event that the run does not have";
  EXPECT_EQ(started(), 0u);
}

TEST_F(ChatStreams, AnEmptyIdIsNone) {
  EXPECT_EQ(stream(call(Method::kPost, kStream, kBody, {{"Last-Event-ID", ""}})).role, ViewerRole::kClient);
  EXPECT_EQ(stream(call(Method::kGet, link + "&last_event_id=")).role, ViewerRole::kMayComeBack);
  EXPECT_EQ(started(), 2u);
}

TEST_F(ChatStreams, PastRetentionIsGone) {
  auto old = run(RunStatus::kCompleted);
  old.replayable = false;
  service.reply<api::GetRun>(old);
  EXPECT_EQ(problem_of(post(kStream, kBody, {{"Last-Event-ID", event_id(5)}})), "410 gone");
  EXPECT_EQ(problem_of(get(link, {{"Last-Event-ID", event_id(5)}})), "410 gone");
  service.reply<api::StartRun>(api::StartedRun{run_id, true});
  EXPECT_EQ(problem_of(post(kStream, kBody, {{"Idempotency-Key", "k"}})), "410 gone");
  EXPECT_EQ(problem_of(post(kChat, kBody, {{"Idempotency-Key", "k"}})), "410 gone");
}

TEST_F(ChatStreams, WhatFailsWhileLookingIsTold) {
  service.reply<api::GetRun>(fail(ErrorCode::kStorage, "disk"));
  EXPECT_EQ(problem_of(post(kStream, kBody, {{"Last-Event-ID", event_id(5)}})), "503 unavailable");
  service.reply<api::StartRun>(api::StartedRun{run_id, true});
  EXPECT_EQ(problem_of(post(kStream, kBody, {{"Idempotency-Key", "k"}})), "503 unavailable");
}

TEST_F(ChatStreams, TheWholeAnswerIgnoresTheId) {
  EXPECT_TRUE(std::holds_alternative<AwaitRun>(call(Method::kPost, kChat, kBody, {{"Last-Event-ID", event_id(5)}})));
  EXPECT_EQ(problem_of(post(kChat, "", {{"Last-Event-ID", event_id(5)}})), "400 invalid-request");
  EXPECT_EQ(started(), 1u);
}

TEST_F(ChatStreams, TheSameKeyGivesTheSameRunFromItsFirstFrame) {
  service.reply<api::StartRun>(api::StartedRun{run_id, true});
  service.reply<api::GetRun>(run(RunStatus::kCompleted));
  const auto shown = stream(call(Method::kPost, kStream, kBody, {{"Idempotency-Key", "k"}}));
  EXPECT_EQ(shown.run_id, run_id);
  EXPECT_EQ(shown.after, std::nullopt);
  EXPECT_EQ(shown.role, ViewerRole::kTakesPlace);
  EXPECT_EQ(command().idempotency_key, "k");
  EXPECT_FALSE(command().fingerprint.empty());
}

TEST_F(ChatStreams, TheKeyStandsForPathTextAndFiles) {
  const auto fingerprint = [&](const char* path, const std::string& body) {
    call(Method::kPost, path, body, {{"Idempotency-Key", "k"}});
    return command().fingerprint;
  };
  const auto with_file = [](std::string_view content, std::string_view name) {
    return R"({"message":"Hi","files":[{"content":")" + testing::encode_base64(content) +
           R"(","mime_type":"text/plain","filename":")" + std::string(name) + "\"}]}";
  };
  const std::string first = fingerprint(kStream, kBody);
  EXPECT_EQ(fingerprint(kStream, R"({"message":"Hi","session_id":"nope","x":1})"), first);
  call(Method::kGet, link, "", {{"Idempotency-Key", "k"}});
  EXPECT_EQ(command().fingerprint, first) << "the same path and text";
  EXPECT_NE(fingerprint(kStream, R"({"message":"Hi!"})"), first);
  EXPECT_NE(fingerprint(kChat, kBody), first);
  EXPECT_NE(fingerprint("/agent/other/chat/stream", kBody), first);
  const std::string with_one = fingerprint(kStream, with_file("one", "a.txt"));
  EXPECT_NE(with_one, first);
  EXPECT_EQ(fingerprint(kStream, with_file("one", "b.txt")), with_one) << "the content counts";
  EXPECT_NE(fingerprint(kStream, with_file("two", "a.txt")), with_one);
  EXPECT_EQ(with_one.find("one"), std::string::npos) << "a digest, not the file";
}

TEST_F(ChatStreams, RefusesWrongKeys) {
  for (const std::string& key : {std::string(), std::string("\xff"), std::string(256, 'k')}) {
    EXPECT_EQ(problem_of(post(kStream, kBody, {{"Idempotency-Key", key}})), "400 invalid-request");
    EXPECT_EQ(problem_of(get(link, {{"Idempotency-Key", key}})), "400 invalid-request");
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(ChatStreams, TheTableOfRoutes) {
  for (const Route& route : dialect.routes()) {
    const bool is_stream = route.pattern.ends_with("/stream");
    const bool is_health = route.pattern.starts_with("/health");
    EXPECT_EQ(route.streams, is_stream) << route.pattern;
    EXPECT_EQ(route.starts_run, !is_health) << route.pattern << ": also guarded when it is a GET";
    EXPECT_EQ(route.access, Access::kUser) << route.pattern;
    EXPECT_EQ(route.body, route.method == Method::kPost ? BodyRule::kFiles : BodyRule::kNone) << route.pattern;
  }
  EXPECT_EQ(dialect.name(), "chat");
  EXPECT_EQ(dialect.part_mark(), 0);
}

}  // namespace
}  // namespace braidlog::chat
