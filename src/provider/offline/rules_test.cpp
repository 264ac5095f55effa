#include "provider/offline/rules.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/json.h"
#include "base/utf8.h"
#include "provider/testing/offline_chat.h"

namespace braidlog::provider {
namespace {

using testing::OfflineChat;

std::string argument(const testing::RecordedCall& call, const char* key) {
  const auto args = parse_json(call.args);
  EXPECT_TRUE(args) << call.args;
  return std::string(args->as_object().at(key).as_string());
}

TEST(OfflineRules, WritesAFileAndSaysSo) {
  OfflineChat chat({"file_write"});
  const auto turn = chat.ask("Write a haiku about rivers to haiku.md");
  EXPECT_EQ(turn.text, "I will write a haiku about rivers to haiku.md.");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].name, "file_write");
  EXPECT_EQ(turn.calls[0].id, "call_1");
  EXPECT_GT(turn.calls[0].fragments, 3);
  EXPECT_EQ(argument(turn.calls[0], "path"), "haiku.md");
  EXPECT_TRUE(argument(turn.calls[0], "content").starts_with("Rivers at first light,"));
  EXPECT_EQ(turn.finished->reason, FinishReason::kToolCalls);

  chat.result("call_1", "Successfully wrote 80 characters to haiku.md");
  const auto end = chat.turn();
  EXPECT_EQ(end.text, "Done. I created haiku.md");
  EXPECT_TRUE(end.calls.empty());
  EXPECT_EQ(end.finished->reason, FinishReason::kStop);
}

TEST(OfflineRules, FindsTheNameInManySentences) {
  const auto path = [](const char* ask) {
    OfflineChat chat({"file_write", "file_read"});
    const auto turn = chat.ask(ask);
    return turn.calls.size() == 1 && turn.calls[0].name == "file_write" ? argument(turn.calls[0], "path") : "";
  };
  EXPECT_EQ(path("save a summary to notes/summary.txt"), "notes/summary.txt");
  EXPECT_EQ(path("Please save a summary to notes/summary.txt."), "notes/summary.txt");
  EXPECT_EQ(path("Put a list of fruits into `fruits.md`, please"), "fruits.md");
  EXPECT_EQ(path("create a file called todo.txt with three things"), "todo.txt");
  EXPECT_EQ(path("Create notes.md"), "notes.md");
  EXPECT_EQ(path("write x to \"my notes.md\""), "my notes.md");
  EXPECT_EQ(path("write x to ../../etc/passwd"), "../../etc/passwd");
  EXPECT_EQ(path("write x to grüße.md"), "grüße.md");
  EXPECT_EQ(path("Write a letter to my mother"), "");
  EXPECT_EQ(path("write 3 to 4.5 pages"), "");
  EXPECT_EQ(path("write to https://evil.test/x"), "");
}

TEST(OfflineRules, QuotedTextIsWrittenExactly) {
  OfflineChat chat({"file_write"});
  const auto turn = chat.ask("write \"hello, world\" to a.txt");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].args, R"({"path":"a.txt","content":"hello, world"})");
  OfflineChat other({"file_write"});
  const auto second = other.ask("create a file called b.txt with 'some text'");
  ASSERT_EQ(second.calls.size(), 1u);
  EXPECT_EQ(second.calls[0].args, R"({"path":"b.txt","content":"some text"})");
}

TEST(OfflineRules, SeveralFilesAreSeveralCalls) {
  OfflineChat chat({"file_write"});
  const auto turn = chat.ask("Write a poem about cats to a.md, b.md and c.md");
  ASSERT_EQ(turn.calls.size(), 3u);
  EXPECT_EQ(argument(turn.calls[0], "path"), "a.md");
  EXPECT_EQ(argument(turn.calls[2], "path"), "c.md");
  EXPECT_EQ(turn.calls[2].id, "call_3");
  chat.result("call_2", "The user rejected this call.");
  chat.result("call_1", "Successfully wrote 80 characters to a.md");
  const auto end = chat.turn();
  EXPECT_EQ(end.text,
            "I created a.md\nI did not create b.md: The user rejected this call.\n"
            "I did not create c.md: no result came back");
}

TEST(OfflineRules, ARefusedWriteIsNotDone) {
  OfflineChat chat({"file_write"});
  chat.ask("Write a haiku to haiku.md");
  chat.result("call_1", "The call was refused by the user.");
  EXPECT_EQ(chat.turn().text, "I did not create haiku.md: The call was refused by the user.");
}

TEST(OfflineRules, ReportsAlsoWhenToolsAreNoLongerOnOffer) {
  OfflineChat chat({"file_write"});
  chat.ask("Write a haiku to haiku.md");
  chat.result("call_1", "Successfully wrote 80 characters to haiku.md");
  chat.request().tools.clear();
  EXPECT_EQ(chat.turn().text, "Done. I created haiku.md");
}

TEST(OfflineRules, ASecondRequestStartsAnew) {
  OfflineChat chat({"file_write"});
  chat.ask("Write a haiku to a.md");
  chat.result("call_1", "Successfully wrote 80 characters to a.md");
  chat.turn();
  const auto again = chat.ask("Write a haiku to b.md");
  ASSERT_EQ(again.calls.size(), 1u);
  EXPECT_EQ(again.calls[0].id, "call_2");
}

TEST(OfflineRules, WithoutTheToolItOnlyTalks) {
  OfflineChat chat({});
  const auto turn = chat.ask("Write a haiku about rivers to haiku.md");
  EXPECT_TRUE(turn.calls.empty());
  EXPECT_NE(turn.text.find("offline model"), std::string::npos);
}

TEST(OfflineRules, ReadsListsAndRenames) {
  OfflineChat chat({"file_read", "file_list", "file_rename", "file_write"});
  auto turn = chat.ask("Please read notes.md");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].args, R"({"path":"notes.md"})");
  chat.result("call_1", "first line\nsecond line\n");
  EXPECT_EQ(chat.turn().text, "This is what file_read gave me for notes.md:\n\n> first line\n> second line");

  turn = chat.ask("list the files");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].name, "file_list");
  chat.result("call_2", "a.md (1 byte)");
  EXPECT_EQ(chat.turn().text, "This is what file_list gave me:\n\n> a.md (1 byte)");

  turn = chat.ask("Rename a.md to b.md");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].args, R"({"from":"a.md","to":"b.md"})");
  chat.result("call_3", "Renamed a.md to b.md");
  EXPECT_EQ(chat.turn().text, "Done. I renamed a.md to b.md");

  chat.ask("Rename a.md to b.md");
  chat.result("call_4", "b.md: exists already");
  EXPECT_EQ(chat.turn().text, "I did not rename a.md: b.md: exists already");
}

TEST(OfflineRules, QuotesOnlyTheBeginningOfALongFile) {
  OfflineChat chat({"file_read"});
  chat.ask("show long.txt");
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "wört ";
  chat.result("call_1", text);
  const auto turn = chat.turn();
  EXPECT_LT(turn.text.size(), 1500u);
  EXPECT_TRUE(is_valid_utf8(turn.text));
  EXPECT_TRUE(turn.text.ends_with(" …"));
}

TEST(OfflineRules, Calculates) {
  const auto expression = [](const char* ask) {
    OfflineChat chat({"calculator"});
    const auto turn = chat.ask(ask);
    return turn.calls.empty() ? "" : argument(turn.calls[0], "expression");
  };
  EXPECT_EQ(expression("what is 12*7+3?"), "12*7+3");
  EXPECT_EQ(expression("Please calculate sqrt(16) / 2."), "sqrt(16) / 2");
  EXPECT_EQ(expression("12 times 7 plus 3"), "12 * 7 + 3");
  EXPECT_EQ(expression("How much is 3 \xc3\x97 4?"), "3 * 4");
  EXPECT_EQ(expression("what is love?"), "");
  EXPECT_EQ(expression("42"), "");

  OfflineChat chat({"calculator"});
  chat.ask("what is 12*7+3?");
  chat.result("call_1", "87");
  EXPECT_EQ(chat.turn().text, "12*7+3 = 87");
  chat.ask("what is 1/0?");
  chat.result("call_2", "division by zero");
  EXPECT_EQ(chat.turn().text, "I could not calculate 1/0: division by zero");
}

TEST(OfflineRules, TellsTheTime) {
  OfflineChat chat({"current_datetime"});
  EXPECT_EQ(chat.ask("What time is it?").calls.at(0).args, "{}");
  chat.result("call_1", "2026-02-14T21:03:00Z, Saturday");
  EXPECT_EQ(chat.turn().text, "The clock says 2026-02-14T21:03:00Z, Saturday.");
  EXPECT_EQ(chat.ask("What time is it at +02:00?").calls.at(0).args, R"({"timezone":"+02:00"})");
}

TEST(OfflineRules, ALongStoryTakesFiveSeconds) {
  OfflineChat chat;
  const auto turn = chat.ask("Tell me a long story about lighthouses.");
  EXPECT_GE(turn.deltas.size(), 400u);
  EXPECT_GE(turn.deltas.size() * OfflineModel::kDefaultPace.count(), 5000u);
  EXPECT_GE(turn.finished->usage->output_tokens, 400u);
  EXPECT_NE(turn.text.find("about lighthouses"), std::string::npos);
}

TEST(OfflineRules, ThinksFirstWhenTold) {
  OfflineChat chat({"calculator"});
  const auto turn = chat.ask("Think: what is 2+2?");
  EXPECT_NE(turn.reasoning.find("what is 2+2?"), std::string::npos);
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_GT(turn.finished->usage->reasoning_tokens, 5u);
  EXPECT_GT(turn.finished->usage->output_tokens, turn.finished->usage->reasoning_tokens);
  chat.result("call_1", "4");
  const auto end = chat.turn();
  EXPECT_EQ(end.reasoning, "");
  EXPECT_EQ(end.text, "2+2 = 4");
  EXPECT_NE(chat.ask("reason about rivers").reasoning, "");
  EXPECT_EQ(chat.ask("I think about rivers").reasoning, "");
}

TEST(OfflineRules, RepeatsByteForByte) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const std::string text = to_valid_utf8(bytes) + "\n\ndata: x  \r\n\xe2\x80\xa8 ";
    OfflineChat chat({"file_write", "calculator"});
    const auto turn = chat.ask("Repeat after me: " + text);
    RC_ASSERT(turn.text == text);
    for (const auto& delta : turn.deltas) RC_ASSERT(is_valid_utf8(delta));
  }));
  OfflineChat chat;
  EXPECT_EQ(chat.ask("say exactly:  two  spaces").text, " two  spaces");
  EXPECT_EQ(chat.ask("say exactly:").text, "");
}

TEST(OfflineRules, AnythingElseIsAnHonestAnswerOfSomeLength) {
  OfflineChat chat({"file_write", "file_read", "calculator", "current_datetime"});
  const auto first = chat.ask("What do you know about glaciers?");
  EXPECT_NE(first.text.find("Braidlog's built-in offline model"), std::string::npos);
  EXPECT_NE(first.text.find("glaciers"), std::string::npos);
  EXPECT_NE(first.text.find("your first message"), std::string::npos);
  EXPECT_NE(first.text.find("calculate"), std::string::npos);
  const auto second = chat.ask("Hi");
  EXPECT_NE(second.text.find("your second message"), std::string::npos);
  OfflineChat bare;
  for (const auto& text :
       {first.text, second.text, bare.ask("Hi").text, bare.ask("").text, bare.ask(std::string(30'000, 'x')).text,
        bare.ask("a b c d e f g h i j k l m n o p q r s t u v w x y z 1 2 3 4 5").text}) {
    EXPECT_GE(count_words(text), 30u) << text;
    EXPECT_LE(count_words(text), 60u) << text;
  }
}

TEST(OfflineRules, AnyMessageGetsValidUtf8Twice) {
  EXPECT_TRUE(rc::check([](const std::vector<unsigned char>& picks) {
    static const char* const kPieces[] = {"write ",
                                          "read ",
                                          "to ",
                                          "a.md ",
                                          "\"",
                                          "'",
                                          "rename ",
                                          "list files ",
                                          "think ",
                                          "what is ",
                                          "2+2 ",
                                          "ä",
                                          "\n",
                                          "`x` ",
                                          "save ",
                                          "long story about ",
                                          "alert ",
                                          "admin ",
                                          "is down ",
                                          "status ",
                                          "return ",
                                          "?",
                                          "\n\n## Attached file: ",
                                          "that "};
    std::string text;
    for (const auto pick : picks) text += kPieces[pick % 24];
    const auto play = [&] {
      OfflineChat chat({"file_write", "file_read", "file_list", "file_rename", "calculator", "current_datetime",
                        "search_knowledge_base", "system_status", "alert_admin"});
      const auto turn = chat.ask(text);
      RC_ASSERT(turn.finished.has_value());
      RC_ASSERT(is_valid_utf8(turn.text));
      std::string all = turn.text;
      for (const auto& call : turn.calls) {
        RC_ASSERT(parse_json(call.args).has_value());
        all += call.args;
      }
      return all;
    };
    RC_ASSERT(play() == play());
  }));
}

}  // namespace
}  // namespace braidlog::provider
