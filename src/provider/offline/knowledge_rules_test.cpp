#include <gtest/gtest.h>

#include "base/json.h"
#include "provider/testing/offline_chat.h"

namespace braidlog::provider {
namespace {

using testing::OfflineChat;

// What is searched for; empty when nothing is.
std::string query(const std::string& ask) {
  OfflineChat chat({"search_knowledge_base"});
  const auto turn = chat.ask(ask);
  if (turn.calls.empty()) return "";
  EXPECT_EQ(turn.calls[0].name, "search_knowledge_base");
  EXPECT_EQ(turn.text, "") << "a search comes before any text";
  return std::string(parse_json(turn.calls[0].args).value().as_object().at("query").as_string());
}

TEST(KnowledgeRules, SearchesWithTheWordsThatMatter) {
  EXPECT_EQ(query("What is your return policy?"), "return policy");
  EXPECT_EQ(query("Hello! How long does shipping take, please?"), "long shipping");
  EXPECT_EQ(query("My parcel arrived broken."), "parcel arrived broken");
  EXPECT_EQ(query("Do you deliver to Österreich?"), "deliver Österreich");
  EXPECT_EQ(query("one two three four five six seven eight nine ten eleven twelve thirteen"),
            "two three four five six seven eight nine ten eleven");
}

TEST(KnowledgeRules, SmallTalkIsNotLookedUp) {
  for (const char* ask : {"Hello", "Hi there!", "Hello World", "Good morning, how are you today?", "Thanks a lot!",
                          "ok", "Who are you?", "What can you do?", "Nice to meet you", "bye", "?", "",
                          "I have a question", "This is a test", "What's your name?", "Are you a robot?"}) {
    EXPECT_EQ(query(ask), "") << ask;
  }
  OfflineChat chat({"search_knowledge_base"});
  const auto turn = chat.ask("Hello");
  EXPECT_NE(turn.text.find("offline model"), std::string::npos);
  EXPECT_NE(turn.text.find("search the knowledge base"), std::string::npos);
}

TEST(KnowledgeRules, ArgumentsComeInPieces) {
  OfflineChat chat({"search_knowledge_base"});
  const auto turn = chat.ask("refunds?");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].args, R"({"query":"refunds"})");
  EXPECT_GE(turn.calls[0].fragments, 4);
}

TEST(KnowledgeRules, AnswersFromThePassagesAndNamesTheDocument) {
  OfflineChat chat({"search_knowledge_base"});
  chat.ask("What is your return policy?");
  chat.result("call_1",
              "[1] Returns and refunds (returns.md)\nYou may return it.\nWithin 30 days.\n\nUnused.\n\n"
              "[2] Payment (payment.md)\nBy card.");
  const auto turn = chat.turn();
  EXPECT_EQ(turn.text,
            "Returns and refunds (returns.md) says:\n\n> You may return it.\n> Within 30 days.\n> \n> Unused.\n\n"
            "See also Payment (payment.md).");
  EXPECT_TRUE(turn.calls.empty());
}

TEST(KnowledgeRules, SaysWhenNothingWasFoundOrNothingCouldBe) {
  OfflineChat chat({"search_knowledge_base"});
  chat.ask("Do you sell zebras?");
  chat.result("call_1", "Nothing in the knowledge base matches \"sell zebras\".");
  EXPECT_TRUE(chat.turn().text.starts_with("I found nothing about \"sell zebras\" in the knowledge base"));
  chat.ask("Do you sell zebras?");
  chat.result("call_2", "The call was refused.");
  EXPECT_EQ(chat.turn().text, "I could not search the knowledge base: The call was refused.");
  chat.ask("Do you sell zebras?");
  EXPECT_EQ(chat.turn().text, "I could not search the knowledge base: no result came back");
}

TEST(KnowledgeRules, OtherWishesComeFirst) {
  OfflineChat chat({"search_knowledge_base", "calculator"});
  EXPECT_EQ(chat.ask("what is 12*7?").calls.at(0).name, "calculator");
  EXPECT_EQ(chat.ask("say exactly: return policy").text, "return policy");
  OfflineChat bare;
  EXPECT_TRUE(bare.ask("What is your return policy?").calls.empty());
}

}  // namespace
}  // namespace braidlog::provider
