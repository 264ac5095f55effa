// POST /sessions/{id}/chat and POST /sessions/{id}/execute.
#include "dialect/testing/tasks_fixture.h"

namespace braidlog::tasks {
namespace {

class TasksStart : public TasksFixture {
 protected:
  TasksStart() { service.reply<api::StartRun>(api::StartedRun{run_id, false}); }
  const api::StartRun& command() const { return service.asked<api::StartRun>().back(); }
  OpenStream open(std::string what, std::string body, Headers headers = {}) {
    return stream(call(Method::kPost, path + "/" + std::move(what), std::move(body), std::move(headers)));
  }
};

TEST_F(TasksStart, AMessageToThePlanner) {
  const auto stream = open("chat", R"({"message":" Plan a trip ","unknown":[1]})");
  EXPECT_EQ(stream.run_id, run_id);
  EXPECT_EQ(stream.contract, "tasks");
  EXPECT_EQ(stream.after, std::nullopt);
  EXPECT_EQ(stream.role, ViewerRole::kViewer) << "the run goes on without its client";
  EXPECT_EQ(command().session_id, session_id);
  EXPECT_FALSE(command().else_new);
  EXPECT_EQ(command().contract, "tasks");
  EXPECT_EQ(command().way, Way::kConverse);
  EXPECT_EQ(command().agent, "");
  EXPECT_EQ(command().text, " Plan a trip ");
  EXPECT_EQ(command().context, std::nullopt);
  EXPECT_EQ(command().idempotency_key, "");
  EXPECT_EQ(command().fingerprint, "");
  EXPECT_FALSE(command().waits || command().attaches || command().stops_with_client);
}

TEST_F(TasksStart, AnExecutionWithAndWithoutABody) {
  for (const char* body : {"", "{}", R"({"message":"is no field here"})"}) {
    const auto stream = open("execute", body);
    EXPECT_EQ(stream.run_id, run_id);
    EXPECT_EQ(stream.contract, "tasks");
    EXPECT_EQ(stream.role, ViewerRole::kViewer);
    EXPECT_EQ(command().session_id, session_id);
    EXPECT_EQ(command().contract, "tasks");
    EXPECT_EQ(command().way, Way::kExecute);
    EXPECT_EQ(command().text, "");
    EXPECT_FALSE(command().waits || command().attaches || command().stops_with_client);
  }
}

TEST_F(TasksStart, TheSessionInEverySpelling) {
  for (const std::string& id : {to_uuid(session_id), to_ulid(session_id), to_prefixed(session_id)}) {
    stream(call(Method::kPost, "/sessions/" + id + "/execute"));
    EXPECT_EQ(command().session_id, session_id);
  }
}

TEST_F(TasksStart, ChatRefusesWrongBodies) {
  const std::string bodies[] = {"",
                                "{}",
                                "[]",
                                "null",
                                "nope",
                                R"({"message":null})",
                                R"({"message":1})",
                                R"({"message":" \n\u3000"})",
                                R"({"message":"a\u0000b"})",
                                R"({"message":"\ud800"})",
                                "{\"message\":\"\xc3\"}",
                                R"({"message":"a","message":"b"})",
                                "{\"message\":\"" + std::string(32 * 1024 + 1, 'x') + "\"}"};
  for (const auto& body : bodies) {
    EXPECT_TRUE(error_of(post("/sessions/nope/chat", body)).starts_with("422 VALIDATION_ERROR ")) << body.substr(0, 80);
  }
  EXPECT_EQ(error_of(post(path + "/chat", "{}")), "422 VALIDATION_ERROR `message` is required");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(TasksStart, ExecuteRefusesWhatIsNoObject) {
  for (const char* body : {"[]", "null", "1", "nope", "{", " "}) {
    EXPECT_TRUE(error_of(post("/sessions/nope/execute", body)).starts_with("422 VALIDATION_ERROR ")) << body;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(TasksStart, AnUnknownSession) {
  for (const char* id : {"nope", "550e8400-e29b-41d4-a716-44665544000", "..%2f..%2fetc"}) {
    const std::string unknown = "/sessions/" + std::string(id);
    EXPECT_EQ(error_of(post(unknown + "/chat", R"({"message":"Hi"})")), "404 NOT_FOUND Session not found");
    EXPECT_EQ(error_of(post(unknown + "/execute")), "404 NOT_FOUND Session not found");
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(TasksStart, WhatTheServiceRefuses) {
  service.reply<api::StartRun>(fail(ErrorCode::kActiveRunExists, "The session has an active run", testing::kRun));
  EXPECT_EQ(error_of(post(path + "/chat", R"({"message":"Hi"})")), "409 CONFLICT The session has an active run");
  service.reply<api::StartRun>(fail(ErrorCode::kNoPendingTask, "There is no pending task"));
  EXPECT_EQ(error_of(post(path + "/execute")), "409 CONFLICT There is no pending task");
  service.reply<api::StartRun>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  EXPECT_EQ(error_of(post(path + "/execute")), "404 NOT_FOUND Session not found");
  service.reply<api::StartRun>(fail(ErrorCode::kUnavailable, "Draining"));
  EXPECT_EQ(post(path + "/execute").status, 503);
}

// There is nothing to resume: what would start a run starts one.
TEST_F(TasksStart, ALastEventIdIsNotLookedAt) {
  const Headers last{{"Last-Event-ID", event_id(5)}};
  EXPECT_EQ(open("chat", R"({"message":"Hi"})", last).after, std::nullopt);
  EXPECT_EQ(open("execute?last_event_id=" + event_id(5), "", last).after, std::nullopt);
  EXPECT_EQ(service.asked<api::StartRun>().size(), 2u);
  EXPECT_EQ(service.asked<api::GetRun>().size(), 0u);
  EXPECT_EQ(post(path + "/chat", "", last).status, 422);
}

TEST_F(TasksStart, AKeyStandsForPathAndText) {
  const Headers key{{"Idempotency-Key", "k1"}};
  open("chat", R"({"message":"Hi"})", key);
  EXPECT_EQ(command().idempotency_key, "k1");
  const auto chat = command().fingerprint;
  open("chat", R"( {"message" : "Hi"} )", key);
  EXPECT_EQ(command().fingerprint, chat);
  open("chat", R"({"message":"Ho"})", key);
  EXPECT_NE(command().fingerprint, chat);
  open("execute", "", key);
  EXPECT_EQ(command().idempotency_key, "k1");
  EXPECT_NE(command().fingerprint, "");
  EXPECT_NE(command().fingerprint, chat);
  EXPECT_EQ(post(path + "/execute", "", {{"Idempotency-Key", std::string(256, 'x')}}).status, 422);
  service.reply<api::StartRun>(api::StartedRun{run_id, true});
  EXPECT_EQ(open("execute", "", key).after, std::nullopt) << "from its first frame";
}

}  // namespace
}  // namespace braidlog::tasks
