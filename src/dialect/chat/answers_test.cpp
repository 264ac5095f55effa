// The answer as a whole, and the health of an agent.
#include "dialect/testing/chat_fixture.h"

namespace braidlog::chat {
namespace {

class ChatAnswers : public ChatFixture {
 protected:
  RunState state;
  std::uint64_t sequence = 0;
  const MessageId message_id = *MessageId::parse("01KHF0000070008000000000M2");

  ChatAnswers() {
    RunStarted started;
    started.session_id = session_id;
    started.assistant_message_id = message_id;
    put(RunQueued{});
    put(started);
    put(ModelStarted{.turn = 1});
  }
  void put(RunEventBody body) {
    RunEvent event;
    event.sequence = {++sequence};
    event.elapsed_ms = 1250;
    event.body = std::move(body);
    state.apply(event);
  }
  void put_call(std::uint8_t number, const char* name, const char* args, ToolStatus status) {
    const ToolCallId id{Id128{{number}}};
    put(ToolCallStarted{.call_id = id, .turn = 1, .name = name});
    put(ToolCallReady{id, name, args});
    put(ToolFinished{.call_id = id, .name = name, .status = status});
  }
  HttpResponse answer(const api::SessionView& view = {}) {
    return rendered(call(Method::kPost, kChat, R"({"message":"Hi"})"), state, view);
  }
};

TEST_F(ChatAnswers, WaitsForTheRunAsItsClient) {
  auto waiting = call(Method::kPost, kChat, R"({"message":"Hi"})");
  const auto* await = std::get_if<AwaitRun>(&waiting);
  ASSERT_TRUE(await);
  EXPECT_EQ(await->run_id, run_id);
  EXPECT_EQ(await->role, ViewerRole::kClient);
  EXPECT_TRUE(command().waits && command().stops_with_client && command().else_new);
  service.reply<api::StartRun>(api::StartedRun{run_id, true});
  service.reply<api::GetRun>(run(RunStatus::kRunning));
  waiting = call(Method::kPost, kChat, R"({"message":"Hi"})", {{"Idempotency-Key", "k"}});
  ASSERT_TRUE(std::holds_alternative<AwaitRun>(waiting));
  EXPECT_EQ(std::get<AwaitRun>(waiting).role, ViewerRole::kViewer) << "the run has its client already";
}

TEST_F(ChatAnswers, ACompletedRun) {
  put(TextDelta{1, 1, "Let me look."});
  put_call(1, "search_knowledge_base", R"({"query":"returns"})", ToolStatus::kOk);
  put_call(2, "search_knowledge_base", R"({"query":"\u2028"})", ToolStatus::kTimeout);
  put_call(3, "final_answer", "{}", ToolStatus::kOk);
  put(ModelFinished{.turn = 1, .usage = Usage{.input_tokens = 150, .output_tokens = 75}});
  put(RunCompleted{});
  const auto response = answer();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(header(response, "Content-Type"), "application/json");
  EXPECT_EQ(response.body, R"({"message_id":"01KHF0000070008000000000M2","content":"Let me look.",)"
                           R"("session_id":"01KHF0000070008000000000S1","tool_calls":[)"
                           R"({"name":"search_knowledge_base","arguments":{"query":"returns"},"status":"success"},)"
                           R"({"name":"search_knowledge_base","arguments":{"query":"\u2028"},"status":"error"}],)"
                           R"("tokens_used":{"prompt_tokens":150,"completion_tokens":75,"total_tokens":225},)"
                           R"("execution_time_ms":1250})");
}

TEST_F(ChatAnswers, WithoutTokensAndCalls) {
  put(TextDelta{1, 1, "Hi."});
  put(RunCompleted{});
  EXPECT_EQ(answer().body,
            R"({"message_id":"01KHF0000070008000000000M2","content":"Hi.","session_id":"01KHF0000070008000000000S1",)"
            R"("tool_calls":[],"tokens_used":null,"execution_time_ms":1250})");
}

TEST_F(ChatAnswers, TheContentIsTheStoredMessage) {
  put(TextDelta{1, 1, "thinking aloud"});
  put(RunCompleted{.final_text = "42"});
  api::SessionView view{{message("user", "Hi"), message("assistant", "42")}};
  view.messages[1].id = message_id;
  EXPECT_NE(answer(view).body.find(R"("content":"42")"), std::string::npos);
}

TEST_F(ChatAnswers, WithoutAStoredMessageThereIsNoContent) {
  put(TextDelta{1, 1, "code, and then nothing"});
  put(RunCompleted{});
  EXPECT_NE(answer(api::SessionView{{message("user", "Hi")}}).body.find(R"("content":"")"), std::string::npos);
}

TEST_F(ChatAnswers, ARefusedCallIsAnError) {
  const ToolCallId id{Id128{{1}}};
  put(ToolCallStarted{.call_id = id, .turn = 1, .name = "file_write"});
  put(ToolCallReady{id, "file_write", R"({"path":"a"})"});
  put(InputRequested{.call_id = id, .tool_name = "file_write"});
  put(InputGiven{.call_id = id, .verdict = Verdict::kRejected, .reason = "denied"});
  put(RunCompleted{});
  EXPECT_NE(answer().body.find(R"([{"name":"file_write","arguments":{"path":"a"},"status":"error"}])"),
            std::string::npos);
}

TEST_F(ChatAnswers, AFailedRunIsItsProblem) {
  put(RunFailed{FailureCode::kProviderTimeout, "LLM provider timeout"});
  const auto response = answer();
  EXPECT_EQ(problem_of(response), "500 agent-error");
  EXPECT_EQ(detail_of(response), "LLM provider timeout");
}

TEST_F(ChatAnswers, AnInterruptedRunIsItsProblem) {
  put(InterruptRequested{.user_id = "demo", .reason = "user"});
  put(RunInterrupted{"user"});
  EXPECT_EQ(problem_of(answer()), "499 interrupted");
}

TEST_F(ChatAnswers, AStoppingServerIsUnavailable) {
  put(RunInterrupted{"server_stopping"});
  const auto response = answer();
  EXPECT_EQ(problem_of(response), "503 unavailable");
  EXPECT_EQ(header(response, "Retry-After"), "1");
}

TEST_F(ChatAnswers, ARunThatIsNotOverIsNoAnswer) {
  EXPECT_EQ(problem_of(answer()), "500 internal-error");
}

TEST_F(ChatAnswers, OddTextComesOutExactly) {
  const std::string odd = "a\nb\r\xc2\x85\xe2\x80\xa8\"\\\x01 \U0001F600";
  put(TextDelta{1, 1, odd});
  put(RunCompleted{});
  const auto body = parse_json(answer().body);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->at("content").as_string(), odd);
}

TEST_F(ChatAnswers, HealthOfAnAgent) {
  api::Agent agent;
  agent.name = "support";
  agent.version = "0123456789ab";
  agent.description = "Answers questions";
  service.reply<api::GetAgent>(agent);
  const auto response = get("/health/agent/support");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"status":"healthy","agent_name":"support","agent_version":"0123456789ab",)"
                           R"("description":"Answers questions"})");
  EXPECT_EQ(service.asked<api::GetAgent>().at(0).name, "support");
}

TEST_F(ChatAnswers, HealthOfNobody) {
  service.reply<api::GetAgent>(fail(ErrorCode::kAgentNotFound, "Agent not found"));
  EXPECT_EQ(problem_of(get("/health/agent/nobody")), "404 not-found");
}

}  // namespace
}  // namespace braidlog::chat
