// Most of what a stream may hold is in testdata; here is what is easier said in words.
#include "provider/anthropic/messages_answer.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"
#include "provider/anthropic/messages_reader.h"
#include "provider/testing/fake_http.h"
#include "provider/testing/recording_sink.h"

namespace braidlog::provider {
namespace {

class MessagesAnswerTest : public ::testing::Test {
 protected:
  Attempted take(std::string_view json) {
    const MessageEvent* event = parser_.parse(json);
    EXPECT_NE(event, nullptr) << json;
    auto taken = event != nullptr ? answer_.take(*event) : Attempted{};
    answer_.end_read();
    return taken;
  }
  void stop(const std::string& reason) {
    EXPECT_TRUE(
        take(R"({"type":"message_delta","delta":{"stop_reason":")" + reason + R"("},"usage":{"output_tokens":2}})"));
  }
  void begin_call() {
    EXPECT_TRUE(
        take(R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f"}})"));
  }

  MessageEventParser parser_;
  testing::RecordingSink sink_;
  MessagesAnswer answer_{sink_, {"anthropic", "http://a"}};
};

TEST_F(MessagesAnswerTest, StopReasons) {
  const struct {
    const char* raw;
    bool has_calls;
    FinishReason expected;
  } cases[] = {
      {"end_turn", false, FinishReason::kStop},       {"stop_sequence", false, FinishReason::kStop},
      {"max_tokens", false, FinishReason::kLength},   {"max_tokens", true, FinishReason::kLength},
      {"tool_use", true, FinishReason::kToolCalls},   {"end_turn", true, FinishReason::kToolCalls},
      {"refusal", false, FinishReason::kRefusal},     {"something_new", false, FinishReason::kStop},
      {"pause_turn", true, FinishReason::kToolCalls}, {"model_context_window_exceeded", false, FinishReason::kLength}};
  for (const auto& [raw, has_calls, expected] : cases) {
    testing::RecordingSink sink;
    MessagesAnswer answer(sink, {});
    MessageEvent event;
    if (has_calls) {
      event.type = "content_block_start";
      event.block_json = R"({"type":"tool_use","name":"f"})";
      EXPECT_TRUE(answer.take(event));
    }
    event = {};
    event.type = "message_delta";
    event.stop_reason = raw;
    EXPECT_TRUE(answer.take(event));
    const auto finish = answer.finish();
    ASSERT_TRUE(finish) << raw;
    EXPECT_EQ(finish->reason, expected) << raw << has_calls;
    EXPECT_FALSE(finish->usage);
  }
}

TEST_F(MessagesAnswerTest, NoReasonIsACut) {
  EXPECT_TRUE(take(R"({"type":"message_start","message":{"id":"m","usage":{"input_tokens":3,"output_tokens":1}}})"));
  EXPECT_TRUE(take(R"({"type":"message_stop"})"));
  EXPECT_EQ(answer_.finish().error().error.code, ErrorCode::kUpstreamTruncated);
}

TEST_F(MessagesAnswerTest, ErrorsInTheStreamSayWhetherToComeBack) {
  const struct {
    const char* type;
    ErrorCode code;
    bool may_retry;
  } cases[] = {{"overloaded_error", ErrorCode::kProvider, true},
               {"api_error", ErrorCode::kProvider, true},
               {"rate_limit_error", ErrorCode::kProviderRateLimited, true},
               {"timeout_error", ErrorCode::kProviderTimeout, true},
               {"invalid_request_error", ErrorCode::kProvider, false},
               {"new_error", ErrorCode::kProvider, false}};
  for (const auto& [type, code, may_retry] : cases) {
    const auto taken =
        take(R"({"type":"error","error":{"message":"secret words","type":")" + std::string(type) + "\"}}");
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().error.code, code) << type;
    EXPECT_EQ(taken.error().may_retry, may_retry) << type;
    EXPECT_EQ(taken.error().error.message.find("secret"), std::string::npos);
  }
}

TEST_F(MessagesAnswerTest, ACallWithoutANameFails) {
  EXPECT_FALSE(take(R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t"}})"));
  EXPECT_FALSE(
      take(R"({"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{"}})"));
}

TEST_F(MessagesAnswerTest, ACallThatARefusalCutIsNotRun) {
  begin_call();
  stop("refusal");
  EXPECT_EQ(answer_.finish().error().error.code, ErrorCode::kProvider);
}

TEST_F(MessagesAnswerTest, CallsHaveACap) {
  Attempted taken;
  for (int i = 0; i < 1'000 && taken; ++i) {
    taken = take(R"({"type":"content_block_start","index":)" + std::to_string(i) +
                 R"(,"content_block":{"type":"tool_use","name":"f"}})");
  }
  EXPECT_FALSE(taken);
}

TEST_F(MessagesAnswerTest, AThoughtThatWasCutBeforeItsSignatureIsNotSentBack) {
  EXPECT_TRUE(take(R"({"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":""}})"));
  EXPECT_TRUE(take(R"({"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"hm"}})"));
  begin_call();
  stop("tool_use");
  const auto finish = answer_.finish();
  ASSERT_TRUE(finish);
  EXPECT_TRUE(finish->opaque.empty());
  EXPECT_EQ(sink_.reasoning, "hm");
}

// pause_turn: the answer goes on in a second stream and stays one.
class PausedAnswerTest : public ::testing::Test {
 protected:
  static std::string event(const std::string& json) { return "data: " + json + "\n\n"; }
  static std::string text(const std::string& words) {
    return event(R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})") +
           event(R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" + words + "\"}}") +
           event(R"({"type":"content_block_stop","index":0})");
  }
  static std::string end(const std::string& reason) {
    return event(R"({"type":"message_delta","delta":{"stop_reason":")" + reason +
                 R"("},"usage":{"input_tokens":10,"output_tokens":5}})") +
           event(R"({"type":"message_stop"})");
  }
  void start() {
    call_ = start_attempt({.url = "http://a/v1/messages", .headers = {{"x-api-key", "k"}}, .body = kBody}, false,
                          make_messages_reader(sink_, settings_, kBody, parser_), sink_, {client_, loop_, 10'000});
  }

  static constexpr const char* kBody = R"({"messages":[{"role":"user","content":[]}]})";
  const MessagesSettings settings_{.model = "m", .owner = {"anthropic", "http://a"}};
  ::braidlog::testing::FakeClock clock_;
  ::braidlog::testing::FakeLoop loop_{clock_};
  testing::FakeHttpClient client_;
  MessageEventParser parser_;
  testing::RecordingSink sink_;
  std::unique_ptr<ModelCall> call_;
};

TEST_F(PausedAnswerTest, IsAskedToGoOn) {
  start();
  client_.head(200);
  client_.body(
      event(R"({"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s",)"
            R"("name":"web_search","input":{}}})") +
      event(
          R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}})") +
      event(R"({"type":"content_block_stop","index":1})") + text("One. ") + end("pause_turn"));
  client_.done();
  ASSERT_EQ(client_.requests.size(), 2u);
  loop_.advance(std::chrono::milliseconds(6'000));
  EXPECT_FALSE(sink_.ended()) << "by the end of the stream before";
  EXPECT_EQ(client_.requests[1].url, "http://a/v1/messages");
  EXPECT_EQ(client_.requests[1].headers.at(0).value, "k");
  EXPECT_EQ(
      client_.requests[1].body,
      R"({"messages":[{"role":"user","content":[]},{"role":"assistant","content":[)"
      R"({"type":"server_tool_use","id":"s","name":"web_search","input":{"q":1}},{"type":"text","text":"One. "}]}]})");
  client_.head(200);
  client_.body(text("Two.") + end("end_turn"));
  client_.done();
  ASSERT_TRUE(sink_.finished);
  EXPECT_EQ(sink_.text, "One. Two.");
  EXPECT_EQ(sink_.finished->usage, (Usage{20, 10, 0, 0, 0}));
}

TEST_F(PausedAnswerTest, NotForEver) {
  start();
  for (int i = 0; i < 100 && !sink_.ended(); ++i) {
    client_.head(200);
    client_.body(end("pause_turn"));
    client_.done();
  }
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->message, "The model's answer paused too often");
  EXPECT_EQ(client_.requests.size(), 17u);
}

TEST_F(PausedAnswerTest, CancelClosesTheSecondStream) {
  start();
  client_.head(200);
  client_.body(end("pause_turn"));
  loop_.advance(std::chrono::milliseconds(50));
  ASSERT_EQ(client_.requests.size(), 2u);
  EXPECT_TRUE(client_.is_open());
  call_.reset();
  EXPECT_FALSE(client_.is_open());
}

}  // namespace
}  // namespace braidlog::provider
