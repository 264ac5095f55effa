#include "provider/openai/chunk_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace braidlog::provider {
namespace {

class ChunkParserTest : public ::testing::Test {
 protected:
  const ChatChunk& parse(std::string_view json) {
    static const ChatChunk none;
    const ChatChunk* chunk = parser_.parse(json);
    EXPECT_NE(chunk, nullptr) << json;
    return chunk != nullptr ? *chunk : none;
  }
  ChunkParser parser_;
};

TEST_F(ChunkParserTest, TextAsOpenAiSendsIt) {
  const auto& chunk = parse(
      R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","service_tier":"default",)"
      R"("choices":[{"index":0,"delta":{"role":"assistant","content":" a\n\"\u00fc\ud83d\ude00"},"logprobs":null,)"
      R"("finish_reason":null}],"usage":null,"obfuscation":"x","moderation":{"deep":[{"er":[]}]}})");
  EXPECT_EQ(chunk.id, "chatcmpl-1");
  EXPECT_EQ(chunk.text, " a\n\"ü😀");
  EXPECT_EQ(chunk.reasoning, "");
  EXPECT_EQ(chunk.finish_reason, "");
  EXPECT_FALSE(chunk.usage);
  EXPECT_FALSE(chunk.is_error);
  EXPECT_TRUE(chunk.calls.empty());
}

TEST_F(ChunkParserTest, ToolCalls) {
  const auto& chunk =
      parse(R"({"choices":[{"delta":{"content":null,"tool_calls":[)"
            R"({"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}},)"
            R"({"function":{"arguments":"{\"a\"","name":null},"id":null},{"index":null},{"index":2}]}}]})");
  ASSERT_EQ(chunk.calls.size(), 4u);
  EXPECT_EQ(chunk.calls[0].index, 0u);
  EXPECT_EQ(chunk.calls[0].id, "c1");
  EXPECT_EQ(chunk.calls[0].name, "f");
  EXPECT_EQ(chunk.calls[0].args, "");
  EXPECT_FALSE(chunk.calls[1].index);
  EXPECT_EQ(chunk.calls[1].id, "");
  EXPECT_EQ(chunk.calls[1].args, "{\"a\"");
  EXPECT_FALSE(chunk.calls[2].index);
  EXPECT_EQ(chunk.calls[3].index, 2u);
}

TEST_F(ChunkParserTest, ReasoningByEitherName) {
  EXPECT_EQ(parse(R"({"choices":[{"delta":{"reasoning_content":"hm"}}]})").reasoning, "hm");
  EXPECT_EQ(parse(R"({"choices":[{"delta":{"reasoning":"hm"}}]})").reasoning, "hm");
  EXPECT_EQ(parse(R"({"choices":[{"delta":{"reasoning":"hm","reasoning_content":null}}]})").reasoning, "hm");
}

TEST_F(ChunkParserTest, FinishReasonAndUsage) {
  EXPECT_EQ(parse(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})").finish_reason, "stop");
  const auto& usage = parse(R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30,)"
                            R"("prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},)"
                            R"("completion_tokens_details":{"reasoning_tokens":5,"cached_tokens":9}}})");
  EXPECT_EQ(usage.usage, (Usage{10, 20, 4, 0, 5}));
  EXPECT_EQ(parse(R"({"usage":{"prompt_tokens":-1,"completion_tokens":2.5}})").usage, Usage{});
  EXPECT_FALSE(parse(R"({"usage":{}})").usage);
  EXPECT_FALSE(parse(R"({"usage":{"prompt_tokens":null,"completion_tokens":null}})").usage);
  EXPECT_FALSE(parse(R"({"usage":{"cost":0.1}})").usage);
  EXPECT_FALSE(parse(R"({"usage":null})").usage);
}

TEST_F(ChunkParserTest, Errors) {
  EXPECT_TRUE(parse(R"({"error":{"message":"x"}})").is_error);
  EXPECT_TRUE(parse(R"({"error":"x"})").is_error);
  EXPECT_TRUE(parse(R"({"error":{"code":500}})").is_error);
  EXPECT_FALSE(parse(R"({"error":null,"choices":[]})").is_error);
  EXPECT_TRUE(parse(R"({"object":"error","message":"x"})").is_error);
  EXPECT_FALSE(parse(R"({"object":"chat.completion.chunk","id":"x"})").is_error);
}

TEST_F(ChunkParserTest, ArgumentsThatAreNoString) {
  const auto& chunk = parse(R"({"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"a":[1,"}"]}}},)"
                            R"({"function":{"arguments":null}},{"function":{"arguments":7}}]}}]})");
  ASSERT_EQ(chunk.calls.size(), 3u);
  EXPECT_EQ(chunk.calls[0].args, R"({"a":[1,"}"]})");
  EXPECT_EQ(chunk.calls[1].args, "");
  EXPECT_EQ(chunk.calls[2].args, "");
}

TEST_F(ChunkParserTest, WhatProvidersWantBack) {
  const auto& chunk =
      parse(R"({"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"hm"}],"refusal":"no",)"
            R"("tool_calls":[{"index":0,"extra_content":{"google":{"thought_signature":"s"}}}]}}]})");
  EXPECT_EQ(chunk.details_json, R"([{"type":"reasoning.text","text":"hm"}])");
  EXPECT_EQ(chunk.refusal, "no");
  ASSERT_EQ(chunk.calls.size(), 1u);
  EXPECT_EQ(chunk.calls[0].extra_json, R"({"google":{"thought_signature":"s"}})");
}

TEST_F(ChunkParserTest, AnEmptyReasoningDoesNotHideTheOther) {
  const auto& chunk = parse(R"({"choices":[{"delta":{"reasoning":"hm","reasoning_content":""}}]})");
  EXPECT_EQ(chunk.reasoning, "hm");
  EXPECT_EQ(chunk.reasoning_field, "reasoning");
}

TEST_F(ChunkParserTest, WrongTypesAreLeftOut) {
  for (const char* json : {R"({})", R"({"choices":null})", R"({"choices":{}})", R"({"choices":[null,1,"x",[]]})",
                           R"({"choices":[{"delta":null,"finish_reason":7}]})", R"({"choices":[{"delta":[]}]})",
                           R"({"choices":[{"delta":{"content":[1],"tool_calls":{},"reasoning":1}}]})", R"({"id":5})",
                           R"({"choices":[{"delta":{"tool_calls":null}}],"usage":"none"})"}) {
    const auto& chunk = parse(json);
    EXPECT_EQ(chunk.text, "") << json;
    EXPECT_TRUE(chunk.calls.empty()) << json;
    EXPECT_FALSE(chunk.usage) << json;
    EXPECT_EQ(chunk.finish_reason, "") << json;
  }
}

TEST_F(ChunkParserTest, WhatIsNoJsonObjectIsRefused) {
  for (const char* json :
       {"", " ", "x", "[]", "1", "\"x\"", "null", "{", "{\"choices\":[", "{\"choices\":[{\"delta\":", "{\"id\":\"x",
        "{\"id\" \"x\"}", "{\"choices\":[{\"delta\":{\"content\":\"\\x\"}}]}", "{\"id\":\"\xff\"}"}) {
    EXPECT_EQ(parser_.parse(json), nullptr) << json;
  }
  EXPECT_EQ(parse(R"({"choices":[{"delta":{"content":"still fine"}}]})").text, "still fine");
}

TEST_F(ChunkParserTest, NothingIsLeftOfTheChunkBefore) {
  parse(R"({"id":"a","choices":[{"delta":{"content":"t","tool_calls":[{}]},"finish_reason":"stop"}],"usage":{"x":1}})");
  const auto& chunk = parse("{}");
  EXPECT_EQ(chunk.id, "");
  EXPECT_EQ(chunk.text, "");
  EXPECT_TRUE(chunk.calls.empty());
  EXPECT_EQ(chunk.finish_reason, "");
  EXPECT_FALSE(chunk.usage);
}

TEST_F(ChunkParserTest, NoPrefixOfAChunkIsAChunk) {
  const std::string whole =
      R"({"id":"a","choices":[{"index":0,"delta":{"content":"text"},"finish_reason":"stop"}],"usage":{"x":{"y":1}}})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    parse(whole);  // what is left of it in memory would close the braces of the next one
    EXPECT_EQ(parser_.parse(whole.substr(0, length)), nullptr) << whole.substr(0, length);
  }
}

TEST_F(ChunkParserTest, LongChunks) {
  const std::string text(3'000'000, 'x');
  EXPECT_EQ(parse(R"({"choices":[{"delta":{"content":")" + text + R"("}}]})").text.size(), text.size());
  EXPECT_EQ(parse(R"({"choices":[{"delta":{"content":"short"}}]})").text, "short");
}

}  // namespace
}  // namespace braidlog::provider
