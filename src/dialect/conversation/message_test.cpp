// POST /agent/stream and POST /agent.
#include <memory>

#include "dialect/testing/conversation_fixture.h"

namespace braidlog::conversation {
namespace {

class ConversationMessage : public ConversationFixture {
 protected:
  ConversationMessage() { service.reply<api::StartRun>(api::StartedRun{run_id, false}); }
  const api::StartRun& command() const { return service.asked<api::StartRun>().back(); }

  OpenStream open(std::string body, Headers headers = {}) {
    return stream(call(Method::kPost, "/agent/stream", std::move(body), std::move(headers)));
  }
  HttpResponse ended(const RunState& state) {
    return rendered(call(Method::kPost, "/agent", R"({"message":"Hi"})"), state, conversation().view);
  }
  RunState over(RunStatus status) const {
    RunState state;
    state.ended = status;
    state.begun.session_id = session_id;
    state.begun.user_id = "user_123";
    state.begun.title = state.title = "System Status Check";
    state.ended_at = {1'771'102'980'000};
    return state;
  }
};

TEST_F(ConversationMessage, StartsARunAndStreamsIt) {
  const auto stream = open(R"({"message":"Can you check the system status?"})");
  EXPECT_EQ(stream.run_id, run_id);
  EXPECT_EQ(stream.contract, "conversation");
  EXPECT_EQ(stream.after, std::nullopt);
  EXPECT_EQ(stream.role, ViewerRole::kViewer) << "the run goes on without its client";
  EXPECT_EQ(command().text, "Can you check the system status?");
  EXPECT_EQ(command().session_id, std::nullopt);
  EXPECT_FALSE(command().else_new);
  EXPECT_EQ(command().contract, "conversation");
  EXPECT_EQ(command().way, Way::kConverse);
  EXPECT_EQ(command().agent, "");
  EXPECT_EQ(command().context, std::nullopt);
  EXPECT_EQ(command().idempotency_key, "");
  EXPECT_EQ(command().fingerprint, "");
  EXPECT_FALSE(command().waits || command().attaches || command().stops_with_client);
}

TEST_F(ConversationMessage, ANewConversationIsCalledAfterItsFirstMessage) {
  open(R"({"message":"  Can you\n check it?  ","conversation_id":null})");
  EXPECT_EQ(command().title, "Can you check it?");
  EXPECT_EQ(command().text, "  Can you\n check it?  ");
  open("{\"message\":\"" + std::string(70, 'a') + " and some more words\"}");
  EXPECT_EQ(command().title, std::string(70, 'a') + " and some");
}

TEST_F(ConversationMessage, AnExistingConversationInEverySpelling) {
  for (const std::string& id : {to_uuid(session_id), to_ulid(session_id), to_prefixed(session_id)}) {
    open("{\"message\":\"Hi\",\"conversation_id\":\"" + id + "\"}");
    EXPECT_EQ(command().session_id, session_id);
    EXPECT_EQ(command().title, "") << "its title stays";
  }
}

TEST_F(ConversationMessage, Context) {
  open(R"({"message":"Hi","context":"The user is \"Ann\"","unknown":[1]})");
  EXPECT_EQ(command().context, "The user is \"Ann\"");
  for (const char* none : {"null", "\"\"", "\" \\n\""}) {
    open("{\"message\":\"Hi\",\"context\":" + std::string(none) + "}");
    EXPECT_EQ(command().context, std::nullopt);
  }
  const std::string most(32 * 1024, 'x');
  open("{\"message\":\"Hi\",\"context\":\"" + most + "\"}");
  EXPECT_EQ(command().context, most);
}

TEST_F(ConversationMessage, RefusesWrongBodies) {
  const std::string too_long(32 * 1024 + 1, 'x');
  const std::string bodies[] = {"",
                                "{}",
                                "[]",
                                "null",
                                "nope",
                                R"({"message":null})",
                                R"({"message":1})",
                                R"({"message":""})",
                                R"({"message":" \n\u3000"})",
                                R"({"message":"a\u0000b"})",
                                R"({"message":"\ud800"})",
                                "{\"message\":\"\xc3\"}",
                                R"({"message":"a","message":"b"})",
                                R"({"message":"a","context":1})",
                                R"({"message":"a","context":["x"]})",
                                R"({"message":"a","context":"\u0000"})",
                                R"({"message":"a","conversation_id":1})",
                                R"({"message":"a","conversation_id":{}})",
                                "{\"message\":\"" + too_long + "\"}",
                                "{\"message\":\"a\",\"context\":\"" + too_long + "\"}"};
  for (const auto& body : bodies) {
    for (const char* path : {"/agent/stream", "/agent"}) {
      const auto response = post(path, body);
      EXPECT_EQ(response.status, 422) << body.substr(0, 80);
      EXPECT_NE(error_of(response), "422 without a detail") << body.substr(0, 80);
    }
  }
  EXPECT_EQ(error_of(post("/agent", "{}")), "422 `message` is required");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(ConversationMessage, FieldsBeforeTheConversation) {
  EXPECT_EQ(error_of(post("/agent/stream", R"({"message":" ","conversation_id":"nope"})")),
            "422 `message` must not be blank");
  for (const char* id : {"nope", "", "550e8400-e29b-41d4-a716-44665544000", "../../etc"}) {
    EXPECT_EQ(error_of(post("/agent/stream", "{\"message\":\"Hi\",\"conversation_id\":\"" + std::string(id) + "\"}")),
              "404 Conversation not found")
        << id;
  }
  EXPECT_EQ(service.asked_count(), 0u);
  service.reply<api::StartRun>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  EXPECT_EQ(error_of(post("/agent/stream", R"({"message":"Hi","conversation_id":")" + to_uuid(session_id) + "\"}")),
            "404 Conversation not found")
      << "unknown and malformed look the same";
}

TEST_F(ConversationMessage, IdempotencyKeyOfTheHeader) {
  const Headers key{{"Idempotency-Key", "k"}};
  open(R"({"message":"Hi","context":"c"})", key);
  EXPECT_EQ(command().idempotency_key, "k");
  const std::string fingerprint = command().fingerprint;
  EXPECT_NE(fingerprint, "");
  open(R"({"context":"c","message":"Hi","more":1})", key);
  EXPECT_EQ(command().fingerprint, fingerprint);
  open("{\"message\":\"Hi\",\"context\":\"c\",\"conversation_id\":\"" + to_uuid(session_id) + "\"}", key);
  EXPECT_EQ(command().fingerprint, fingerprint) << "the key belongs to the conversation";
  open(R"({"message":"Hi","context":"d"})", key);
  EXPECT_NE(command().fingerprint, fingerprint);
  open(R"({"message":"Hi"})", key);
  EXPECT_NE(command().fingerprint, fingerprint);
  open(R"({"message":"Hic"})", key);
  EXPECT_NE(command().fingerprint, fingerprint);
  call(Method::kPost, "/agent", R"({"message":"Hi","context":"c"})", key);
  EXPECT_NE(command().fingerprint, fingerprint) << "the path is compared too";
  EXPECT_EQ(post("/agent/stream", R"({"message":"Hi"})", {{"Idempotency-Key", std::string(256, 'k')}}).status, 422);
}

TEST_F(ConversationMessage, TheSameKeyAgainGivesTheStreamFromItsFirstFrame) {
  service.reply<api::StartRun>(api::StartedRun{run_id, true});
  const auto stream = open(R"({"message":"Hi"})", {{"Idempotency-Key", "k"}});
  EXPECT_EQ(stream.run_id, run_id);
  EXPECT_EQ(stream.after, std::nullopt);
}

TEST_F(ConversationMessage, AnIdResumesWhateverTheBodySays) {
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  for (const char* body : {"", "nope", "{}", R"({"message":"Hi","conversation_id":"nope"})"}) {
    const auto stream = open(body, {{"Last-Event-ID", event_id(5) + ".c0"}});
    EXPECT_EQ(stream.run_id, run_id);
    EXPECT_EQ(stream.contract, "conversation");
    EXPECT_EQ(stream.after, (EventId{run_id, {5}, FramePart{'c', 0}}));
    EXPECT_EQ(stream.role, ViewerRole::kViewer);
    EXPECT_TRUE(service.asked<api::GetRun>().back().own);
  }
  const auto by_query = call(Method::kPost, "/agent/stream?last_event_id=" + event_id(5), "");
  EXPECT_TRUE(std::holds_alternative<OpenStream>(by_query));
  EXPECT_TRUE(service.asked<api::StartRun>().empty()) << "a client that comes back never starts a run";
}

TEST_F(ConversationMessage, AnyOtherIdIs204) {
  const auto again = [&](std::string id) {
    return post("/agent/stream", R"({"message":"Hi"})", {{"Last-Event-ID", std::move(id)}});
  };
  EXPECT_EQ(again("nope").status, 204);
  service.reply<api::GetRun>(fail(ErrorCode::kRunNotFound, ""));
  EXPECT_EQ(again(event_id(5, kOtherRun)).status, 204);
  auto old = run(RunStatus::kCompleted);
  old.replayable = false;
  service.reply<api::GetRun>(old);
  EXPECT_EQ(error_of(again(event_id(5))), "410 The events of this run are gone");
  EXPECT_TRUE(service.asked<api::StartRun>().empty());
}

TEST_F(ConversationMessage, WithoutAStreamTheIdIsIgnored) {
  const auto answer = call(Method::kPost, "/agent?last_event_id=" + event_id(5), R"({"message":"Hi"})",
                           {{"Last-Event-ID", event_id(5)}});
  EXPECT_TRUE(std::holds_alternative<AwaitRun>(answer));
  EXPECT_EQ(service.asked<api::StartRun>().size(), 1u);
}

TEST_F(ConversationMessage, WhatTheServiceRefuses) {
  const std::pair<ErrorCode, const char*> cases[] = {
      {ErrorCode::kActiveRunExists, "409 The conversation already has an active run"},
      {ErrorCode::kIdempotencyConflict, "409 told"},
      {ErrorCode::kRateLimited, "429 told"},
      {ErrorCode::kUnavailable, "503 told"},
      {ErrorCode::kStorage, "503 The server cannot do this now; try again later"}};
  for (const auto& [code, expected] : cases) {
    service.reply<api::StartRun>(fail(code, "told", "7"));
    for (const char* path : {"/agent/stream", "/agent"}) {
      const auto response = post(path, R"({"message":"Hi"})");
      EXPECT_EQ(error_of(response), expected);
      if (response.status > 409) EXPECT_EQ(header(response, "Retry-After"), "7");
    }
  }
}

TEST_F(ConversationMessage, TheWholeAnswerAtOnce) {
  const auto answer = call(Method::kPost, "/agent", R"({"message":"Is it up?"})");
  ASSERT_TRUE(std::holds_alternative<AwaitRun>(answer));
  EXPECT_EQ(std::get<AwaitRun>(answer).run_id, run_id);
  EXPECT_EQ(std::get<AwaitRun>(answer).role, ViewerRole::kViewer) << "the run goes on without its client";
  const auto response = ended(over(RunStatus::kCompleted));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"response":"Yes.","user_id":"user_123",)"
                           R"("conversation_id":"019c5e00-0000-3800-0400-000000000321","conversation":)" +
                               std::string(kConversationJson) + "}");
}

TEST_F(ConversationMessage, ARunWithoutTextAnswersNothing) {
  auto view = conversation().view;
  view.messages.pop_back();
  const auto response =
      rendered(call(Method::kPost, "/agent", R"({"message":"Is it up?"})"), over(RunStatus::kCompleted), view);
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.body.starts_with(R"({"response":"","user_id")"));
}

TEST_F(ConversationMessage, ARunThatDidNotComeToItsEnd) {
  const std::pair<FailureCode, int> rows[] = {{FailureCode::kProvider, 502},    {FailureCode::kProviderTimeout, 504},
                                              {FailureCode::kRateLimited, 502}, {FailureCode::kUpstreamTruncated, 502},
                                              {FailureCode::kMaxSteps, 500},    {FailureCode::kLimitExceeded, 500},
                                              {FailureCode::kStorage, 500},     {FailureCode::kInternal, 500}};
  for (const auto& [code, status] : rows) {
    auto failed = over(RunStatus::kFailed);
    failed.failure = code;
    failed.failure_message = "The model is away";
    EXPECT_EQ(error_of(ended(failed)), std::to_string(status) + " The model is away");
  }
  EXPECT_EQ(error_of(ended(over(RunStatus::kFailed))), "500 Something went wrong");
  EXPECT_EQ(error_of(ended(over(RunStatus::kInterrupted))), "409 Run interrupted");
}

}  // namespace
}  // namespace braidlog::conversation
