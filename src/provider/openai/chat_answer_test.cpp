#include "provider/openai/chat_answer.h"

#include <gtest/gtest.h>

#include "provider/testing/recording_sink.h"

namespace braidlog::provider {
namespace {

class ChatAnswerTest : public ::testing::Test {
 protected:
  Attempted take(std::string_view json) {
    const ChatChunk* chunk = parser_.parse(json);
    if (chunk == nullptr) return tl::make_unexpected(AttemptFailure{{ErrorCode::kMalformed, "not a chunk", {}}});
    auto taken = answer_.take(*chunk);
    answer_.end_read();
    return taken;
  }
  // A piece of a tool call; `fields` is the inside of the JSON object.
  void call(const std::string& fields) {
    EXPECT_TRUE(take(R"({"choices":[{"delta":{"tool_calls":[{)" + fields + "}]}}]}"));
  }
  void reason(const std::string& word) {
    EXPECT_TRUE(take(R"({"choices":[{"delta":{},"finish_reason":")" + word + "\"}]}"));
  }
  FinishReason finished() {
    const auto finish = answer_.finish();
    EXPECT_TRUE(finish) << finish.error().error.message;
    return finish ? finish->reason : FinishReason::kError;
  }

  ChunkParser parser_;
  testing::RecordingSink sink_;
  ChatAnswer answer_{sink_};
};

TEST_F(ChatAnswerTest, TextReasoningAndTheEnd) {
  EXPECT_TRUE(take(R"({"id":"r1","choices":[{"delta":{"role":"assistant","content":""}}]})"));
  EXPECT_TRUE(take(R"({"id":"r2","choices":[{"delta":{"reasoning_content":"hm"}}]})"));
  EXPECT_TRUE(take(R"({"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}})"));
  EXPECT_TRUE(take(R"({"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}],"usage":null})"));
  EXPECT_TRUE(take(R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}})"));
  EXPECT_EQ(sink_.reasoning, "hm");
  EXPECT_EQ(sink_.deltas, (std::vector<std::string>{"a", "b"}));
  const auto finish = answer_.finish();
  ASSERT_TRUE(finish);
  EXPECT_EQ(finish->reason, FinishReason::kStop);
  EXPECT_EQ(finish->raw_reason, "stop");
  EXPECT_EQ(finish->response_id, "r1");
  EXPECT_EQ(finish->usage, (Usage{3, 4, 0, 0, 0}));
}

TEST_F(ChatAnswerTest, FinishReasons) {
  const struct {
    const char* raw;
    bool has_calls;
    FinishReason expected;
  } cases[] = {{"stop", false, FinishReason::kStop},
               {"length", false, FinishReason::kLength},
               {"length", true, FinishReason::kLength},
               {"tool_calls", true, FinishReason::kToolCalls},
               {"stop", true, FinishReason::kToolCalls},
               {"content_filter", false, FinishReason::kContentFilter},
               {"function_call", true, FinishReason::kToolCalls},
               {"eos", false, FinishReason::kStop},
               {"end_turn", true, FinishReason::kToolCalls},
               {"MAX_TOKENS", true, FinishReason::kLength},
               {"SAFETY", false, FinishReason::kContentFilter},
               {"refusal", false, FinishReason::kRefusal}};
  for (const auto& [raw, has_calls, expected] : cases) {
    testing::RecordingSink sink;
    ChatAnswer answer(sink);
    ChatChunk chunk;
    if (has_calls) chunk.calls.push_back({0, "c", "f", "{}"});
    chunk.finish_reason = raw;
    EXPECT_TRUE(answer.take(chunk));
    const auto finish = answer.finish();
    ASSERT_TRUE(finish) << raw;
    EXPECT_EQ(finish->reason, expected) << raw << has_calls;
    EXPECT_EQ(finish->raw_reason, raw);
  }
}

TEST_F(ChatAnswerTest, NoReasonIsACut) {
  EXPECT_TRUE(take(R"({"choices":[{"delta":{"content":"looks whole."}}]})"));
  EXPECT_EQ(answer_.finish().error().error.code, ErrorCode::kUpstreamTruncated);
}

TEST_F(ChatAnswerTest, AnAbortIsAFailure) {
  for (const char* word : {"abort", "error"}) {
    reason(word);
    EXPECT_EQ(answer_.finish().error().error.code, ErrorCode::kProvider);
  }
}

TEST_F(ChatAnswerTest, AnErrorInTheStream) {
  const auto taken = take(R"({"error":{"message":"secret words"}})");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().error.code, ErrorCode::kProvider);
  EXPECT_EQ(taken.error().error.message.find("secret"), std::string::npos);
}

TEST_F(ChatAnswerTest, ToolCallsByIndex) {
  call(R"("index":0,"id":"a","function":{"name":"f","arguments":""})");
  call(R"("index":1,"id":"b","function":{"name":"g","arguments":"{"})");
  call(R"("index":0,"function":{"arguments":"{\"x\":1"})");
  call(R"("index":1,"id":"","function":{"name":"","arguments":"}"})");
  call(R"("index":0,"id":null,"function":{"arguments":"}"})");
  reason("tool_calls");
  ASSERT_EQ(sink_.calls.size(), 2u);
  EXPECT_EQ(sink_.calls[0].id + sink_.calls[0].name + sink_.calls[0].args, "af{\"x\":1}");
  EXPECT_EQ(sink_.calls[1].id + sink_.calls[1].name + sink_.calls[1].args, "bg{}");
  EXPECT_EQ(finished(), FinishReason::kToolCalls);
}

TEST_F(ChatAnswerTest, WithoutAnIndexAnIdBeginsACall) {
  call(R"("id":"a","function":{"name":"f","arguments":"{"})");
  call(R"("function":{"arguments":"}"})");
  call(R"("id":"b","function":{"name":"f","arguments":"{"})");
  call(R"("id":"b","function":{"arguments":"}"})");
  ASSERT_EQ(sink_.calls.size(), 2u);
  EXPECT_EQ(sink_.calls[0].args, "{}");
  EXPECT_EQ(sink_.calls[1].args, "{}");
}

TEST_F(ChatAnswerTest, ParallelCallsThatAreAllNumberZero) {
  call(R"("index":0,"id":"a","function":{"name":"f","arguments":"{}"})");
  call(R"("index":0,"id":"b","function":{"name":"f","arguments":"{"})");
  call(R"("index":0,"function":{"arguments":"}"})");
  ASSERT_EQ(sink_.calls.size(), 2u);
  EXPECT_EQ(sink_.calls[1].id + sink_.calls[1].args, "b{}");
}

TEST_F(ChatAnswerTest, ANameThatIsRepeatedIsNotANewCall) {
  call(R"("index":0,"id":"a","function":{"name":"f","arguments":"{"})");
  call(R"("index":0,"id":"a","function":{"name":"f","arguments":"}"})");
  call(R"("index":0,"id":"other","function":{"arguments":" "})");
  ASSERT_EQ(sink_.calls.size(), 1u);
  EXPECT_EQ(sink_.calls[0].name + sink_.calls[0].args, "f{} ");
}

TEST_F(ChatAnswerTest, ANameMayComeAfterTheArguments) {
  call(R"("index":0,"function":{"arguments":"{\"x\""})");
  EXPECT_TRUE(sink_.calls.empty());
  call(R"("index":0,"id":"a","function":{"name":"f","arguments":":1}"})");
  ASSERT_EQ(sink_.calls.size(), 1u);
  EXPECT_EQ(sink_.calls[0].id + sink_.calls[0].name + sink_.calls[0].args, "af{\"x\":1}");
}

TEST_F(ChatAnswerTest, ACallWithoutANameFails) {
  call(R"("index":0,"id":"a","function":{"arguments":"{}"})");
  reason("tool_calls");
  EXPECT_EQ(answer_.finish().error().error.code, ErrorCode::kProvider);
}

TEST_F(ChatAnswerTest, SlotsAndUnclaimedArgumentsHaveACap) {
  ChatChunk many;
  for (unsigned i = 0; i < 1000; ++i) many.calls.push_back({i, {}, {}, {}});
  EXPECT_EQ(answer_.take(many).error().error.code, ErrorCode::kProvider);

  testing::RecordingSink sink;
  ChatAnswer nameless(sink);
  const std::string piece(1000, 'x');
  ChatChunk chunk;
  chunk.calls.push_back({0, {}, {}, piece});
  Attempted taken;
  for (int i = 0; i < 1000 && taken; ++i) taken = nameless.take(chunk);
  EXPECT_FALSE(taken);
}

TEST_F(ChatAnswerTest, Quirk19_FragmentsOfOneReadAreOne) {
  const auto feed = [&](const std::string& fields) {
    EXPECT_TRUE(answer_.take(*parser_.parse(R"({"choices":[{"delta":{"tool_calls":[{)" + fields + "}]}}]}")));
  };
  feed(R"("index":0,"id":"a","function":{"name":"f","arguments":"{"})");
  for (const std::string c : {R"(\")", "x", R"(\")", ":", "1", "}"}) {
    feed(R"("index":0,"function":{"arguments":")" + c + "\"}");
  }
  ASSERT_EQ(sink_.calls.size(), 1u);
  EXPECT_EQ(sink_.calls[0].fragments, 0);
  answer_.end_read();
  EXPECT_EQ(sink_.calls[0].fragments, 1);
  EXPECT_EQ(sink_.calls[0].args, R"({"x":1})");
}

TEST_F(ChatAnswerTest, ANameInPiecesIsOneName) {
  call(R"("index":0,"id":"a","function":{"name":"get_"})");
  call(R"("index":0,"function":{"name":"weather","arguments":""})");
  EXPECT_TRUE(sink_.calls.empty());
  call(R"("index":0,"function":{"arguments":"{}"})");
  ASSERT_EQ(sink_.calls.size(), 1u);
  EXPECT_EQ(sink_.calls[0].name, "get_weather");
}

TEST_F(ChatAnswerTest, CallsWithoutIndexAndIdInOneList) {
  EXPECT_TRUE(take(R"({"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}},)"
                   R"({"function":{"name":"f","arguments":"{}"}}]}}]})"));
  call(R"("function":{"name":"g","arguments":"{}"})");
  ASSERT_EQ(sink_.calls.size(), 3u);
  EXPECT_EQ(sink_.calls[2].name, "g");
}

TEST_F(ChatAnswerTest, OfTwoReasonsTheGraverCounts) {
  reason("length");
  reason("stop");
  EXPECT_EQ(finished(), FinishReason::kLength);
  testing::RecordingSink sink;
  ChatAnswer failed(sink);
  ChatChunk chunk;
  for (const char* word : {"stop", "error", "stop"}) {
    chunk.finish_reason = word;
    EXPECT_TRUE(failed.take(chunk));
  }
  EXPECT_FALSE(failed.finish());
}

TEST_F(ChatAnswerTest, ACallThatAFilterCutIsNotRun) {
  call(R"("index":0,"id":"a","function":{"name":"f","arguments":"{}"})");
  reason("content_filter");
  EXPECT_EQ(answer_.finish().error().error.code, ErrorCode::kProvider);
}

TEST_F(ChatAnswerTest, ErrorsInTheStreamSayWhetherToComeBack) {
  const struct {
    const char* json;
    ErrorCode code;
    bool may_retry;
  } cases[] = {{R"({"error":{"code":429}})", ErrorCode::kProviderRateLimited, true},
               {R"({"error":{"code":"429","message":"x"}})", ErrorCode::kProviderRateLimited, true},
               {R"({"error":{"type":"overloaded_error"}})", ErrorCode::kProvider, true},
               {R"({"error":{"code":null,"type":"server_error"}})", ErrorCode::kProvider, true},
               {R"({"error":{"code":400,"type":"invalid_request_error"}})", ErrorCode::kProvider, false},
               {R"({"error":"out of memory"})", ErrorCode::kProvider, false},
               {R"({"object":"error","message":"x","code":503})", ErrorCode::kProvider, true}};
  for (const auto& [json, code, may_retry] : cases) {
    const auto taken = take(json);
    ASSERT_FALSE(taken) << json;
    EXPECT_EQ(taken.error().error.code, code) << json;
    EXPECT_EQ(taken.error().may_retry, may_retry) << json;
  }
}

TEST_F(ChatAnswerTest, SilencedInTheMiddleOfAChunk) {
  sink_.on_delta = [&] { answer_.silence(); };
  EXPECT_TRUE(take(R"({"choices":[{"delta":{"content":"a","tool_calls":[{"index":0,"function":{"name":"f"}}]}}]})"));
  EXPECT_EQ(sink_.text, "a");
  EXPECT_TRUE(sink_.calls.empty());
}

}  // namespace
}  // namespace braidlog::provider
