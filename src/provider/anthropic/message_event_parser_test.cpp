#include "provider/anthropic/message_event_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace braidlog::provider {
namespace {

TEST(MessageEventParser, ADeltaInAnyOrderOfItsFields) {
  MessageEventParser parser;
  for (const char* json :
       {R"({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"a\n😀"},"x":[{}]})",
        R"({"delta":{"text":"a\n😀","type":"text_delta"},"index":2,"type":"content_block_delta"})"}) {
    const auto* event = parser.parse(json);
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(event->type, "content_block_delta");
    EXPECT_EQ(event->index, 2u);
    EXPECT_EQ(event->text, "a\n😀");
  }
}

TEST(MessageEventParser, CountersThatAreNotThereAreNotZero) {
  MessageEventParser parser;
  const auto* event = parser.parse(
      R"({"type":"message_delta","usage":{"input_tokens":null,"output_tokens":7,"cache_read_input_tokens":-1}})");
  ASSERT_NE(event, nullptr);
  EXPECT_FALSE(event->counts.input);
  EXPECT_EQ(event->counts.output, 7u);
  EXPECT_FALSE(event->counts.cache_read);
  EXPECT_FALSE(parser.parse(R"({"type":"message_delta"})")->counts.output) << "left of the event before";
}

TEST(MessageEventParser, WrongTypesAreLeftOut) {
  MessageEventParser parser;
  for (const char* json : {"{}", R"({"type":7,"index":"0","delta":[],"message":null,"usage":"x","content_block":1})",
                           R"({"delta":{"text":1,"partial_json":null,"thinking":[]}})", R"({"error":null})"}) {
    const auto* event = parser.parse(json);
    ASSERT_NE(event, nullptr) << json;
    EXPECT_EQ(event->type, "");
    EXPECT_FALSE(event->index);
    EXPECT_EQ(event->text, "");
    EXPECT_FALSE(event->is_error);
  }
}

TEST(MessageEventParser, WhatIsNoJsonObjectIsRefused) {
  MessageEventParser parser;
  for (const char* json : {"", "x", "[]", "null", "{", R"({"delta":{"text":")", "{\"type\":\"\xff\"}"}) {
    EXPECT_EQ(parser.parse(json), nullptr) << json;
  }
}

TEST(MessageEventParser, ErrorsOfEitherShape) {
  MessageEventParser parser;
  EXPECT_EQ(parser.parse(R"({"type":"error","error":{"type":"overloaded_error"}})")->error_status, 529);
  EXPECT_EQ(parser.parse(R"({"error":{"code":500,"message":"x","type":"server_error"}})")->error_status, 500);
  EXPECT_TRUE(parser.parse(R"({"error":"x"})")->is_error);
}

}  // namespace
}  // namespace braidlog::provider
