#include "sandbox/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braidlog::sandbox {
namespace {

using ::testing::HasSubstr;

TEST(MessagesTest, WhatARunnerMaySay) {
  EXPECT_EQ(parse_message(R"({"op":"ready"})")->kind, RunnerMessage::Kind::kReady);
  const auto call = parse_message(R"({"op":"call","name":"f","args":{"a":[1]}})");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->kind, RunnerMessage::Kind::kCall);
  EXPECT_EQ(call->name, "f");
  EXPECT_EQ(to_json(call->args), R"({"a":[1]})");
  const auto done = parse_message(R"({"op":"done","value":"1","final":null,"leaving":true})");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->value, "1");
  EXPECT_EQ(done->error, std::nullopt);
  ASSERT_TRUE(done->final);
  EXPECT_TRUE(done->final->is_null());
  EXPECT_TRUE(done->leaving);
  EXPECT_FALSE(parse_message(R"({"op":"done"})")->final);
}

TEST(MessagesTest, AnythingElseIsNonsense) {
  for (const char* text :
       {"", "null", "[]", "{}", R"({"op":1})", R"({"op":"other"})", R"({"op":"call"})", R"({"op":"call","name":"f"})",
        R"({"op":"call","name":"f","args":[]})", R"({"op":"call","name":1,"args":{}})", R"({"op":"done","value":1})",
        R"({"op":"done","error":null})", R"({"op":"ready"} x)", R"({"op":"ready","op":"done"})",
        "{\"op\":\"done\",\"value\":\"\xff\"}", R"({"op":"done","value":"\ud800"})"}) {
    EXPECT_FALSE(parse_message(text)) << text;
  }
}

TEST(MessagesTest, FramesInAnyPieces) {
  const std::string bytes = frame_of("one") + frame_of("") + frame_of("three");
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    FrameReader reader(100);
    std::vector<std::string> frames;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.append(std::string_view(bytes).substr(at, step));
      while (auto frame = reader.next()) frames.push_back(*frame);
    }
    EXPECT_EQ(frames, (std::vector<std::string>{"one", "", "three"})) << step;
  }
}

TEST(MessagesTest, AFrameThatIsTooLargeIsTheEnd) {
  FrameReader reader(3);
  reader.append(frame_of("abc") + frame_of("abcd") + frame_of("a"));
  EXPECT_EQ(reader.next(), "abc");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_TRUE(reader.broken());
  EXPECT_EQ(reader.next(), std::nullopt);
}

TEST(MessagesTest, ParametersInTheOrderOfTheSchema) {
  EXPECT_EQ(functions_as_json({{"f", "d", R"({"properties":{"z":{},"a":{}}})"}, {"g", "", "no JSON"}}),
            R"([{"name":"f","description":"d","parameters":["z","a"]},{"name":"g","description":"","parameters":[]}])");
}

TEST(MessagesTest, WhatTheServerSays) {
  EXPECT_EQ(run_frame("a\nb", {}).substr(4), R"({"op":"run","code":"a\nb"})");
  EXPECT_EQ(run_frame("x", "[]").substr(4), R"({"op":"run","functions":[],"code":"x"})");
  EXPECT_EQ(answer_frame({{1, "x"}}).substr(4), R"({"value":[1,"x"]})");
  EXPECT_EQ(answer_frame({nullptr, "no\xff"}).substr(4), "{\"error\":\"no\xef\xbf\xbd\"}");
  EXPECT_THAT(modules_frame(runner_modules()), HasSubstr("runner_limits"));
}

TEST(LimitWordsTest, RoundAmounts) {
  EXPECT_EQ(bytes_in_words(512 * 1024 * 1024), "512 MiB");
  EXPECT_EQ(bytes_in_words(1000), "1000 bytes");
  EXPECT_EQ(bytes_in_words(0), "0 bytes");
  EXPECT_EQ(time_in_words(std::chrono::milliseconds(30'000)), "30 s");
  EXPECT_EQ(time_in_words(std::chrono::milliseconds(1'500)), "1500 ms");
  const LimitWords words{Limits{}};
  EXPECT_EQ(words.time, "time limit of 30 s");
  EXPECT_EQ(words.memory, "memory limit of 512 MiB");
  EXPECT_EQ(words.output, "output limit of 64 KiB");
}

}  // namespace
}  // namespace braidlog::sandbox
