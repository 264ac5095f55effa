// The message and its fields, as JSON and in a link.
#include "dialect/testing/chat_fixture.h"

namespace braidlog::chat {
namespace {

class ChatMessages : public ChatFixture {};

TEST_F(ChatMessages, PostStartsARunWhoseClientThisIs) {
  const auto shown = stream(call(Method::kPost, kStream, R"({"message":"Hello  there","other":1})"));
  EXPECT_EQ(shown.run_id, run_id);
  EXPECT_EQ(shown.contract, "chat");
  EXPECT_EQ(shown.after, std::nullopt);
  EXPECT_EQ(shown.role, ViewerRole::kClient);
  EXPECT_EQ(command().agent, "support");
  EXPECT_EQ(command().contract, "chat");
  EXPECT_EQ(command().way, Way::kConverse);
  EXPECT_EQ(command().text, "Hello  there");
  EXPECT_EQ(command().title, "Hello there");
  EXPECT_EQ(command().context, std::nullopt);
  EXPECT_EQ(command().session_id, std::nullopt);
  EXPECT_EQ(command().idempotency_key, "");
  EXPECT_EQ(command().fingerprint, "");
  EXPECT_TRUE(command().else_new);
  EXPECT_TRUE(command().waits);
  EXPECT_TRUE(command().stops_with_client);
  EXPECT_FALSE(command().attaches);
  EXPECT_TRUE(command().files.empty());
}

TEST_F(ChatMessages, ALinkStartsARunWhoseClientMayComeBack) {
  const auto shown = stream(call(Method::kGet, std::string(kStream) + "?message=What%20now%3F"));
  EXPECT_EQ(shown.run_id, run_id);
  EXPECT_EQ(shown.contract, "chat");
  EXPECT_EQ(shown.role, ViewerRole::kMayComeBack);
  EXPECT_EQ(command().text, "What now?");
  EXPECT_EQ(command().agent, "support");
  EXPECT_TRUE(command().waits && command().stops_with_client && command().else_new);
  EXPECT_FALSE(command().attaches) << "without a session there is nothing to attach to";
}

TEST_F(ChatMessages, ALinkIntoASessionAttaches) {
  const std::string link = std::string(kStream) + "?message=Hi&session_id=" + to_ulid(session_id);
  call(Method::kGet, link);
  EXPECT_EQ(command().session_id, session_id);
  EXPECT_TRUE(command().attaches);
  service.reply<api::StartRun>(api::StartedRun{run_id, true});
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  EXPECT_EQ(stream(call(Method::kGet, link)).role, ViewerRole::kTakesPlace);
}

TEST_F(ChatMessages, EverySpellingOfASession) {
  for (const std::string& id : {to_prefixed(session_id), to_ulid(session_id), to_uuid(session_id)}) {
    call(Method::kPost, kStream, R"({"message":"Hi","session_id":")" + id + "\"}");
    EXPECT_EQ(command().session_id, session_id) << id;
    EXPECT_FALSE(command().attaches);
  }
}

TEST_F(ChatMessages, WhatIsNoSessionMeansANewOne) {
  for (const char* id : {"null", "\"\"", "\"nope\"", "\"../../etc\"", "\"01KHF0000070008000000000U!\""}) {
    call(Method::kPost, kStream, R"({"message":"Hi","session_id":)" + std::string(id) + "}");
    EXPECT_EQ(command().session_id, std::nullopt) << id;
    EXPECT_TRUE(command().else_new);
  }
  call(Method::kGet, std::string(kStream) + "?message=Hi&session_id=nope");
  EXPECT_EQ(command().session_id, std::nullopt);
  EXPECT_FALSE(command().attaches);
  EXPECT_EQ(started(), 6u);
}

TEST_F(ChatMessages, TheAgentIsTheOneOfThePath) {
  call(Method::kPost, "/agent/my%20agent/chat/stream", R"({"message":"Hi","agent":"other"})");
  EXPECT_EQ(command().agent, "my agent");
  service.reply<api::StartRun>(fail(ErrorCode::kAgentNotFound, "Agent not found"));
  EXPECT_EQ(problem_of(post("/agent/nobody/chat/stream", R"({"message":"Hi"})")), "404 not-found");
}

TEST_F(ChatMessages, RefusesWrongMessages) {
  for (const char* path : {kStream, kChat}) {
    for (const char* body : {"", "{}", "[]", "null", "\"Hello\"", "nope", R"({"message":null})", R"({"message":1})",
                             R"({"message":["a"]})", R"({"message":""})", R"({"message":" \n\t"})",
                             R"({"message":"\u00a0\u3000"})", R"({"message":"a\u0000b"})", R"({"message":"\ud800"})",
                             "{\"message\":\"\xc3\"}", R"({"message":"a","message":"b"})",
                             R"({"message":"a","session_id":1})", R"({"message":"a","session_id":{}})"}) {
      EXPECT_EQ(problem_of(post(path, body)), "400 invalid-request") << path << " " << body;
    }
  }
  for (const char* query :
       {"", "?message", "?message=", "?message=%20", "?message=%C3", "?message=%00", "?message=%zz", "?session_id=x"}) {
    EXPECT_EQ(problem_of(get(std::string(kStream) + query)), "400 invalid-request") << query;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(ChatMessages, TheLimitCountsCharacters) {
  limits.chat_message_characters_max = 3;
  EXPECT_EQ(stream(call(Method::kPost, kStream, R"({"message":"abc"})")).run_id, run_id);
  EXPECT_EQ(stream(call(Method::kPost, kStream, "{\"message\":\"\u20ac\U0001F600\u20ac\"}")).run_id, run_id);
  const auto over = post(kStream, R"({"message":"abcd"})");
  EXPECT_EQ(problem_of(over), "400 invalid-request");
  EXPECT_EQ(detail_of(over), "`message` must have at most 3 characters");
  EXPECT_EQ(problem_of(get(std::string(kStream) + "?message=abcd")), "400 invalid-request");
}

TEST_F(ChatMessages, TenThousandCharactersAreTheLimit) {
  const std::string most(10'000, 'x');
  EXPECT_EQ(stream(call(Method::kPost, kStream, R"({"message":")" + most + "\"}")).run_id, run_id);
  EXPECT_EQ(problem_of(post(kStream, R"({"message":"x)" + most + "\"}")), "400 invalid-request");
}

TEST_F(ChatMessages, TheRequestIsNamedInItsErrors) {
  HttpRequest request;
  request.id = RequestId{run_id.value};
  request.method = Method::kPost;
  request.target = kStream;
  split_target(request);
  const auto instance = [&] {
    const auto answer = testing::call_route(dialect, request, service, limits);
    const auto body = parse_json(std::get<HttpResponse>(*answer).body);
    return std::string(body->at("instance").as_string());
  };
  EXPECT_EQ(instance(), "req_01KHF0000070008000000000R1") << "a field";
  request.body = R"({"message":"Hi"})";
  service.reply<api::StartRun>(fail(ErrorCode::kRateLimited, "Too many turns wait"));
  EXPECT_EQ(instance(), "req_01KHF0000070008000000000R1") << "the service";
  request.headers = {{"Last-Event-ID", event_id(5)}};
  service.reply<api::GetRun>(fail(ErrorCode::kStorage, ""));
  EXPECT_EQ(instance(), "req_01KHF0000070008000000000R1") << "a resume";
}

TEST_F(ChatMessages, WhatTheServiceRefuses) {
  const std::pair<ErrorCode, const char*> cases[] = {{ErrorCode::kAgentNotFound, "404 not-found"},
                                                     {ErrorCode::kIdempotencyConflict, "409 conflict"},
                                                     {ErrorCode::kActiveRunExists, "429 capacity-exceeded"},
                                                     {ErrorCode::kRateLimited, "429 capacity-exceeded"},
                                                     {ErrorCode::kUnavailable, "503 unavailable"},
                                                     {ErrorCode::kStorage, "503 unavailable"},
                                                     {ErrorCode::kInternal, "500 internal-error"}};
  for (const auto& [code, expected] : cases) {
    service.reply<api::StartRun>(fail(code, "told"));
    EXPECT_EQ(problem_of(post(kStream, R"({"message":"Hi"})")), expected);
    EXPECT_EQ(problem_of(get(std::string(kStream) + "?message=Hi")), expected);
    EXPECT_EQ(problem_of(post(kChat, R"({"message":"Hi"})")), expected);
  }
}

}  // namespace
}  // namespace braidlog::chat
