#include <gtest/gtest.h>

#include "provider/testing/offline_chat.h"

namespace braidlog::provider {
namespace {

using testing::OfflineChat;

constexpr const char* kConclude = "There are no steps left. Give the final answer now.";

TEST(PurposeRules, APlanFitsTheQuestion) {
  OfflineChat chat;
  chat.act_by_code();
  chat.user("What is 17 * 23 + 4?");
  const auto plan = chat.plan();
  EXPECT_EQ(plan.text,
            "1. Write Python that finds out 17 * 23 + 4.\n2. Run it and look at what it prints.\n3. Answer with that "
            "value.");
  EXPECT_GT(plan.finished->usage->output_tokens, 5u);
  EXPECT_NE(chat.turn().text.find("```python"), std::string::npos) << "the plan is not the question";
  EXPECT_EQ(chat.observe("395").text, "17 * 23 + 4 = 395");
}

TEST(PurposeRules, APlanOfSteps) {
  OfflineChat chat;
  chat.act_by_code();
  chat.user("sum of the first 10 cubes step by step");
  EXPECT_EQ(chat.plan().text,
            "1. Make the list of the first 10 cubes.\n2. Compute their sum.\n3. Give the result with final_answer.");
  chat.turn();
  chat.observe("[1, 8]");
  chat.observe("3025");
  EXPECT_EQ(
      chat.plan_again().text,
      "1. Done so far: 2 actions; the last action showed 3025.\n2. Go on with what is missing for \"sum of the first "
      "10 cubes step by step\".\n3. Give the answer as soon as it is known.");
  EXPECT_EQ(chat.turn().text, "The sum of the first 10 cubes is 3025.") << "should final_answer not have ended it";
}

TEST(PurposeRules, APlanWithoutCode) {
  OfflineChat chat({"calculator", "final_answer"});
  chat.user("what is 12*7?");
  EXPECT_EQ(
      chat.plan().text,
      "1. Read the question: \"what is 12*7?\".\n2. Use a tool where one fits, and look at its result.\n3. Answer "
      "from that.");
  const auto turn = chat.turn();
  ASSERT_EQ(turn.calls.size(), 1u) << turn.text;
  chat.result("call_1", "84");
  EXPECT_NE(chat.plan_again().text.find("calculator gave 84"), std::string::npos);
  EXPECT_EQ(chat.turn().text, "12*7 = 84");
  OfflineChat clock;
  clock.act_by_code({"current_datetime"});
  clock.request().instructions = "A turn for a plan is not told of functions.";
  clock.user("What time is it?");
  EXPECT_NE(clock.plan().text.find("1. Write Python that finds out the date and time."), std::string::npos);
  OfflineChat writer;
  writer.act_by_code();
  writer.user("Who are you?");
  EXPECT_NE(writer.plan().text.find("2. Answer in words"), std::string::npos);
}

TEST(PurposeRules, GoOnIsOnlyOursAfterAPlan) {
  OfflineChat chat;
  chat.ask("Hello");
  EXPECT_NE(chat.ask("Go on.").text.find("your second message here, about \"Go on.\""), std::string::npos);
}

TEST(PurposeRules, TheLastAnswerIsTheBestThereIs) {
  OfflineChat chat;
  chat.act_by_code();
  chat.ask("2 + 2 in 20 steps");
  EXPECT_NE(chat.observe("4").text.find("check = 2 + 2"), std::string::npos);
  chat.observe("True");
  EXPECT_EQ(chat.turn_for(TurnPurpose::kFinal, kConclude).text, "2 + 2 = 4");

  OfflineChat partly;
  partly.act_by_code();
  partly.ask("1 + 2 + 3 step by step");
  partly.observe("3");
  EXPECT_EQ(partly.turn_for(TurnPurpose::kFinal, kConclude).text,
            "There are no steps left. As far as I came with \"1 + 2 + 3 step by step\", the last action showed 3.");

  OfflineChat tools({"file_list"});
  tools.ask("list files");
  tools.result("call_1", "a.md (1 byte)");
  EXPECT_EQ(tools.turn_for(TurnPurpose::kFinal, kConclude).text,
            "There are no steps left. As far as I came with \"list files\", file_list gave a.md (1 byte).");

  OfflineChat nothing;
  nothing.user("Who are you?");
  EXPECT_NE(nothing.turn_for(TurnPurpose::kFinal, kConclude).text.find("offline model"), std::string::npos);
}

TEST(PurposeRules, FailuresWorkForEveryPurpose) {
  for (const auto purpose : {TurnPurpose::kPlan, TurnPurpose::kReflection, TurnPurpose::kFinal}) {
    const auto turn = [&](const char* kind) {
      OfflineChat chat({"file_write"}, parse_failure(kind));
      chat.user("Task: Draft a letter");
      return chat.turn_for(purpose, kConclude);
    };
    EXPECT_EQ(turn("provider_error").failed.value().code, ErrorCode::kProvider);
    EXPECT_EQ(turn("rate_limit").failed.value().code, ErrorCode::kProviderRateLimited);
    EXPECT_EQ(turn("timeout").failed.value().code, ErrorCode::kProviderTimeout);
    EXPECT_EQ(turn("truncated").failed.value().code, ErrorCode::kUpstreamTruncated);
    EXPECT_EQ(turn("cut_in_args").failed.value().code, ErrorCode::kUpstreamTruncated);
    EXPECT_FALSE(turn("no_usage").finished.value().usage);
    EXPECT_EQ(turn("empty").heard, 1u);
    EXPECT_FALSE(turn("hang").ended());
    for (const char* kind : {"bad_args", "unknown_tool", "tools_refused"}) {
      const auto normal = turn(kind);
      EXPECT_TRUE(normal.finished) << kind;
      EXPECT_TRUE(normal.calls.empty()) << "there is no tool to call";
      EXPECT_FALSE(normal.text.empty());
    }
  }
}

}  // namespace
}  // namespace braidlog::provider
