#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"
#include "provider/testing/offline_chat.h"

namespace braidlog::provider {
namespace {

using testing::OfflineChat;

class AnalystChat : public OfflineChat {
 public:
  explicit AnalystChat(std::optional<Failure> failure = std::nullopt) : OfflineChat({}, failure) {
    act_by_code({"calculator", "current_datetime", "file_read", "file_list"});
  }
};

// The code of the only block in an answer; empty when there is none.
std::string code_in(const std::string& text) {
  const std::size_t begin = text.find("```python\n");
  if (begin == std::string::npos) return "";
  EXPECT_EQ(text.find("```python", begin + 1), std::string::npos) << "one block per answer: " << text;
  EXPECT_NE(begin, 0u) << "a sentence comes first";
  EXPECT_TRUE(text.ends_with("\n```")) << text;
  return text.substr(begin + 10, text.size() - begin - 14);
}

// What is written for a question, in one action.
std::string code(const std::string& ask) {
  AnalystChat chat;
  const auto turn = chat.ask(ask);
  EXPECT_TRUE(turn.calls.empty());
  EXPECT_EQ(turn.finished.value().reason, FinishReason::kStop);
  return code_in(turn.text);
}

TEST(CodeRules, ArithmeticIsComputedThenSaid) {
  AnalystChat chat;
  const auto turn = chat.ask("What is 17 * 23 + 4?");
  EXPECT_EQ(turn.text,
            "I write Python for 17 * 23 + 4.\n\n"
            "```python\npart_1 = 17 * 23\nresult = part_1 + 4\nprint(result)\n```");
  EXPECT_GT(turn.finished->usage->output_tokens, 10u);
  const auto end = chat.observe("395");
  EXPECT_EQ(end.text, "17 * 23 + 4 = 395");
}

TEST(CodeRules, TheAnswerIsWhatWasObserved) {
  AnalystChat chat;
  chat.ask("What is 2 + 2?");
  EXPECT_EQ(chat.observe("5\n").text, "2 + 2 = 5") << "this model knows no result";
}

TEST(CodeRules, ExpressionsInThePythonOfTheSandbox) {
  const auto last = [](const std::string& ask) {
    const std::string text = code(ask);
    const std::size_t begin = text.find("result = ");
    return begin == std::string::npos ? text : text.substr(begin + 9, text.rfind('\n') - begin - 9);
  };
  EXPECT_EQ(last("2^10"), "2 ** 10");
  EXPECT_EQ(last("What is 007 + 1?"), "7 + 1");
  EXPECT_EQ(last("1,000 + 5"), "1000 + 5");
  EXPECT_EQ(last("Calculate -2 ^ 2"), "-part_1");
  EXPECT_EQ(code("How much is sqrt(16) / 2?"),
            "import math\npart_1 = math.sqrt(16)\nresult = part_1 / 2\nprint(result)");
  EXPECT_EQ(code("(2 + 3) * min(4, 5 - 1) with Python"),
            "part_1 = 5 - 1\npart_2 = 2 + 3\npart_3 = min(4, part_1)\nresult = part_2 * part_3\nprint(result)");
  EXPECT_EQ(last("12 times 7 plus 3"), "part_1 + 3");
  EXPECT_EQ(last("Divide 1 by 0"), "1 / 0");
  EXPECT_EQ(last("What is 15% of 240?"), "240 * 15 / 100");
}

TEST(CodeRules, NumbersInManyWords) {
  EXPECT_EQ(code("Sum of the first 100 squares"),
            "numbers = [n ** 2 for n in range(1, 100 + 1)]\nresult = sum(numbers)\nprint(result)");
  EXPECT_EQ(code("What is the average of 3, 5, 10?"),
            "numbers = [3, 5, 10]\nresult = sum(numbers) / len(numbers)\nprint(result)");
  EXPECT_EQ(code("median of 3.5, -2 and 1,000"),
            "import statistics\nnumbers = [3.5, -2, 1000]\nresult = statistics.median(numbers)\nprint(result)");
  EXPECT_NE(code("List the primes below 50").find("[n for n in range(2, 50) if is_prime(n)]"), std::string::npos);
  EXPECT_NE(code("How many prime numbers are there up to 50?").find("len(numbers)"), std::string::npos);
  EXPECT_NE(code("the first 10 fibonacci numbers").find("found[:10]"), std::string::npos);
  EXPECT_NE(code("sum of the even numbers from 1 to 100").find("range(1, 100 + 1) if n % 2 == 0"), std::string::npos);
  EXPECT_NE(code("What is 20!").find("math.factorial(20)"), std::string::npos);
  EXPECT_NE(code("Is 97 a prime number?").find("is_prime(97)"), std::string::npos);
  EXPECT_NE(code("prime factors of 360").find("rest, divisor, result = 360, 2, []"), std::string::npos);
  EXPECT_NE(code("greatest common divisor of 12 and 18").find("math.gcd(12, 18)"), std::string::npos);
}

TEST(CodeRules, WordsAndDates) {
  EXPECT_EQ(code("Sort pear, Fig and \"apple\"."),
            "items = [\"pear\", \"Fig\", \"apple\"]\nresult = sorted(items, key=str.lower)\nprint(result)");
  EXPECT_EQ(code("sort these numbers in descending order: 3, 1, 2"),
            "items = [3, 1, 2]\nresult = sorted(items, reverse=True)\nprint(result)");
  EXPECT_NE(code("how many days between 2024-01-01 and 2024-03-01").find("date.fromisoformat(\"2024-03-01\")"),
            std::string::npos);
  EXPECT_NE(code("How many r's are in strawberry?").find("\"strawberry\".count(\"r\")"), std::string::npos);
  EXPECT_NE(code("Reverse the word stressed").find("\"stressed\"[::-1]"), std::string::npos);
  AnalystChat chat;
  chat.ask("how many days between 2024-01-01 and 2024-03-01");
  EXPECT_EQ(chat.observe("60").text, "Between 2024-01-01 and 2024-03-01 there are 60 days.");
}

TEST(CodeRules, FunctionsOfTheAgent) {
  AnalystChat clock;
  EXPECT_EQ(code_in(clock.ask("What time is it at +02:00?").text),
            "now = current_datetime(timezone=\"+02:00\")\nresult = now[\"datetime\"] + \", \" + now[\"weekday\"]\n"
            "print(result)");
  EXPECT_EQ(clock.observe("2026-02-14T23:03:00+02:00, Saturday").text,
            "The clock says 2026-02-14T23:03:00+02:00, Saturday.");
  AnalystChat files;
  EXPECT_NE(code_in(files.ask("List the files").text).find("files = file_list()"), std::string::npos);
  EXPECT_EQ(files.observe("a.md 3 bytes\n1 files").text,
            "This is what file_list gave me:\n\n> a.md 3 bytes\n> 1 files");
  EXPECT_EQ(code("How many words are in notes.md?"),
            "text = file_read(path=\"notes.md\")\nresult = len(text.split())\nprint(result)");
  OfflineChat without;
  without.act_by_code();
  EXPECT_EQ(code_in(without.ask("What time is it?").text), "") << "there is no such function";
}

TEST(CodeRules, StepByStep) {
  AnalystChat chat;
  EXPECT_EQ(code_in(chat.ask("Compute 17 * 23 + 4 step by step, please").text), "part_1 = 17 * 23\nprint(part_1)");
  EXPECT_EQ(code_in(chat.observe("391").text), "result = part_1 + 4\nprint(result)\nfinal_answer(result)");
}

TEST(CodeRules, InAsManyStepsAsAreWanted) {
  const auto actions = [](const std::string& ask) {
    AnalystChat chat;
    std::string text = code_in(chat.ask(ask).text);
    std::size_t count = 0;
    for (; !text.empty(); ++count) {
      if (text.ends_with("\nfinal_answer(result)")) return count + 1;
      text = code_in(chat.observe("1").text);
    }
    return count;
  };
  EXPECT_EQ(actions("sum of the first 10 cubes in 5 steps"), 5u);
  EXPECT_EQ(actions("Compute 1 + 2 + 3 + 4 + 5 in two steps"), 2u);
  EXPECT_EQ(actions("Compute 1 + 2 + 3 + 4 + 5 in 1 step"), 1u);
  EXPECT_EQ(actions("2 + 2 in 20 steps"), 20u);
  EXPECT_EQ(actions("2 + 2 in 999 steps"), 30u);
  EXPECT_EQ(actions("2 + 2 step by step"), 2u) << "with a check";
}

TEST(CodeRules, AnErrorIsExplained) {
  AnalystChat chat;
  EXPECT_EQ(code_in(chat.ask("divide 1 by 0").text), "result = 1 / 0\nprint(result)");
  const auto end = chat.observe("", "line 1, in <module>\nZeroDivisionError: division by zero");
  EXPECT_EQ(
      end.text,
      "I could not find out 1 / 0: ZeroDivisionError: division by zero. A number divided by zero has no value, so "
      "there is no result to give.");
  AnalystChat endless;
  endless.ask("9^9^9^9");
  EXPECT_EQ(endless.observe("", "time limit of 30 s").text,
            "I could not find out 9^9^9^9: time limit of 30 s. That is a limit of the sandbox.");
}

TEST(CodeRules, AMistakeIsCorrectedOnce) {
  const std::string error = "NameError: name 'resutl' is not defined";
  for (const bool lucky : {true, false}) {
    AnalystChat chat;
    EXPECT_EQ(code_in(chat.ask("Make a mistake first: what is 17 * 23?").text), "result = 17 * 23\nprint(resutl)");
    const auto again = chat.observe("", error);
    EXPECT_TRUE(again.text.starts_with("That did not work: " + error + ". I write")) << again.text;
    EXPECT_EQ(code_in(again.text), "result = 17 * 23\nprint(result)");
    const auto end = lucky ? chat.observe("391") : chat.observe("", error);
    EXPECT_EQ(end.text,
              lucky ? "17 * 23 = 391" : "I could not find out 17 * 23: " + error + ". I tried 2 times and stop here.");
  }
}

TEST(CodeRules, LostVariablesAreMadeAgain) {
  AnalystChat chat;
  chat.ask("Compute 17 * 23 + 4 step by step");
  chat.observe("391");
  const auto again = chat.observe("(The server restarted: variables of earlier code are gone.)\n",
                                  "NameError: name 'part_1' is not defined");
  EXPECT_EQ(code_in(again.text), "part_1 = 17 * 23\nresult = part_1 + 4\nprint(result)");
  EXPECT_EQ(chat.observe("395").text, "17 * 23 + 4 = 395");
}

TEST(CodeRules, AMissingFileLeadsToWhatThereIs) {
  AnalystChat chat;
  EXPECT_EQ(code_in(chat.ask("Read notes.md").text),
            "text = file_read(path=\"notes.md\")\nresult = text\nprint(result)");
  const auto look = chat.observe("", "ToolError: notes.md: no such file");
  EXPECT_EQ(code_in(look.text), "for file in file_list():\n    print(file[\"path\"])");
  AnalystChat empty;
  empty.ask("Read notes.md");
  empty.observe("", "ToolError: notes.md: no such file");
  EXPECT_EQ(empty.observe("").text, "I could not find out the text of notes.md, and there are no files at all.");
  EXPECT_EQ(chat.observe("other.md").text,
            "I could not find out the text of notes.md. These are the files that there are:\n\n> other.md");
}

TEST(CodeRules, TheUsersOwnCodeRunsAsItIs) {
  AnalystChat chat;
  EXPECT_EQ(code_in(chat.ask("Run this code: print(6 * 7)").text), "print(6 * 7)");
  EXPECT_EQ(chat.observe("42").text, "Your code gave:\n\n> 42");
  EXPECT_EQ(
      code_in(chat.ask("Please look:\n```python\nfor i in range(2):\n    print(i)\n```\nand\n```\nx = 1\n```").text),
      "for i in range(2):\n    print(i)");
  EXPECT_EQ(code_in(chat.observe("0\n1").text), "x = 1");
  EXPECT_EQ(chat.observe("").text, "Your code ran to its end and showed nothing.");
  chat.ask("run python: raise ValueError('no')");
  EXPECT_EQ(chat.observe("", "ValueError: no").text, "Your code failed: ValueError: no.");
}

TEST(CodeRules, WhatNeedsNoCodeIsAnsweredInWords) {
  AnalystChat chat;
  const auto turn = chat.ask("Who are you?");
  EXPECT_EQ(turn.text.find("```"), std::string::npos);
  EXPECT_NE(turn.text.find("offline model"), std::string::npos);
  EXPECT_NE(turn.text.find("compute with Python"), std::string::npos);
  EXPECT_EQ(chat.ask("say exactly: yes").text, "yes");
}

TEST(CodeRules, ASecondQuestionStartsAnew) {
  AnalystChat chat;
  chat.ask("What is 2 + 2?");
  chat.observe("", "NameError: name 'x' is not defined");
  chat.observe("4");
  EXPECT_EQ(code_in(chat.ask("What is 2 * 3?").text), "result = 2 * 3\nprint(result)");
  EXPECT_EQ(chat.observe("6").text, "2 * 3 = 6");
}

TEST(CodeRules, GoesOnAfterARestartExactlyWhereItWas) {
  AnalystChat chat;
  const std::string whole = chat.ask("What is 17 * 23 + 4?").text;
  chat.request().messages.back().text = whole.substr(0, 50);
  chat.request().continue_last = true;
  EXPECT_EQ(whole.substr(0, 50) + chat.turn().text, whole);
}

TEST(CodeRules, FailuresInCode) {
  AnalystChat bad(parse_failure("bad_args"));
  EXPECT_EQ(code_in(bad.ask("What is 2 + 2?").text), "print(\"never closed");
  EXPECT_EQ(code_in(bad.observe("", "SyntaxError: unterminated string literal").text), "");
  AnalystChat unknown(parse_failure("unknown_tool"));
  EXPECT_EQ(code_in(unknown.ask("What is 2 + 2?").text), "no_such_tool(really=True)");
  EXPECT_EQ(code_in(unknown.observe("", "NameError: name 'no_such_tool' is not defined").text),
            "result = 2 + 2\nprint(result)");
  AnalystChat cut(parse_failure("cut_in_args"));
  const auto turn = cut.ask("What is 2 + 2?");
  EXPECT_NE(turn.text.find("```python"), std::string::npos);
  EXPECT_EQ(turn.failed.value().code, ErrorCode::kUpstreamTruncated);
}

TEST(CodeRules, AnyQuestionGetsOneBlockAtMost) {
  EXPECT_TRUE(rc::check([](const std::vector<unsigned char>& picks) {
    static const char* const kPieces[] = {
        "sum of ", "the first ",  "10 ",      "squares ",   "average of ", "3, 5 ",    "and ",    "primes ",
        "below ",  "sort ",       "\"a\" ",   "'",          "```\n",       "run: ",    "divide ", "by ",
        "0 ",      "2024-01-01 ", "between ", "in 3 steps", "1+1",         "\n",       "ä",       "step by step ",
        "!",       "reverse ",    "word ",    "read ",      "a.md ",       "how many "};
    std::string text;
    for (const auto pick : picks) text += kPieces[pick % 30];
    const auto play = [&] {
      AnalystChat chat;
      const auto turn = chat.ask(text);
      RC_ASSERT(turn.finished.has_value());
      RC_ASSERT(is_valid_utf8(turn.text));
      return turn.text + chat.observe("1").text;
    };
    RC_ASSERT(play() == play());
  }));
}

}  // namespace
}  // namespace braidlog::provider
