#include "terminal/run_printer.h"

#include <gtest/gtest.h>

#include "terminal/columns.h"
#include "terminal/run_commands.h"

namespace braidlog::terminal {
namespace {

json::object event(std::string_view text) {
  const auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed->get_object();
}

class RunPrinterTest : public ::testing::Test {
 protected:
  RunPrinterTest() { use_utf8_locale(); }
  static Screen::Write to(std::string& out) {
    return [&out](std::string_view text) { return out += text, true; };
  }
  void show(std::string_view text) { printer_.show(event(text)); }

  std::string out_;
  Screen screen_{{.text = to(out_), .notes = to(out_), .style = {}, .is_shared = true}};
  RunPrinter printer_{screen_};
};

constexpr auto kCall =
    R"({"type":"tool.call.ready","call_id":"c1","name":"file_read","args_json":"{\"path\":\"a.txt\"}"})";

TEST_F(RunPrinterTest, TextAndAToolInBetween) {
  show(R"({"type":"model.started"})");
  show(R"({"type":"text.delta","text":"Let me "})");
  show(R"({"type":"text.delta","text":"look."})");
  EXPECT_EQ(out_, "Let me look.");  // as it comes
  show(kCall);
  show(R"({"type":"tool.finished","call_id":"c1","name":"file_read","status":0,"text":"one\ntwo"})");
  show(R"({"type":"model.started"})");
  show(R"({"type":"text.delta","text":"\n\n"})");
  show(R"({"type":"text.delta","text":"It has two lines."})");
  show(R"({"type":"run.completed","final_text":"It has two lines."})");
  EXPECT_EQ(out_, "Let me look.\n  file_read {\"path\":\"a.txt\"} \xE2\x86\x92 one two\nIt has two lines.\n");
}

TEST_F(RunPrinterTest, ToolsThatFailOrMayNot) {
  show(kCall);
  show(R"({"type":"tool.finished","call_id":"c1","name":"file_read","status":1,"text":"no such file"})");
  show(kCall);
  show(R"({"type":"input.given","input_id":"i1","call_id":"c1","verdict":1,"reason":"denied"})");
  EXPECT_EQ(out_,
            "  file_read {\"path\":\"a.txt\"} \xE2\x9C\x97 no such file\n"
            "  file_read {\"path\":\"a.txt\"} \xE2\x9C\x97 not allowed: denied\n");
}

TEST_F(RunPrinterTest, WhatThePersonRefusedIsNotToldTwice) {
  show(kCall);
  printer_.set_answered_here("i1");
  show(R"({"type":"input.given","input_id":"i1","call_id":"c1","verdict":1,"reason":"user_rejected"})");
  EXPECT_EQ(out_, "");
}

TEST_F(RunPrinterTest, LongCallsAreOneLine) {
  show(R"({"type":"tool.call.ready","call_id":"c1","name":"t","args_json":"{\"a\":\")" + std::string(500, 'x') +
       R"(\"}"})");
  show(R"({"type":"tool.finished","call_id":"c1","name":"t","status":0,"text":")" + std::string(500, 'y') + R"("})");
  EXPECT_LE(width_of(out_.substr(0, out_.size() - 1)), 79u);
  EXPECT_EQ(std::ranges::count(out_, '\n'), 1);
  EXPECT_NE(out_.find("\xE2\x86\x92 yyy"), std::string::npos) << out_;  // both have their part of it
}

TEST_F(RunPrinterTest, TheEnginesOwnToolsAreNotShown) {
  show(R"({"type":"tool.call.ready","call_id":"c1","name":"final_answer","args_json":"{}"})");
  show(R"({"type":"tool.finished","call_id":"c1","name":"final_answer","status":0,"text":"x"})");
  EXPECT_EQ(out_, "");
}

TEST_F(RunPrinterTest, CodeItsOutputAndAnAnswerThatWasNeverWritten) {
  show(R"({"type":"plan.made","text":"1. Multiply.\n2. Answer.\n"})");
  show(R"({"type":"model.started"})");
  show(R"({"type":"text.delta","text":"```python\nprint(6*7)\n```"})");
  show(R"({"type":"step.finished","code_action":"x = 6 * 7","observations":"42\n"})");
  show(R"({"type":"model.started"})");
  show(R"({"type":"run.completed","final_text":"42"})");
  EXPECT_EQ(out_, "  1. Multiply.\n  2. Answer.\n```python\nprint(6*7)\n```\n  \xE2\x94\x82 42\n42\n");
}

TEST_F(RunPrinterTest, AnAnswerInTwoHalvesIsNotToldAgain) {
  show(R"({"type":"text.delta","text":"The first half,"})");
  show(R"({"type":"run.resumed"})");
  show(R"({"type":"model.started","continues":true})");
  show(R"({"type":"text.delta","text":" the second."})");
  show(R"({"type":"run.completed","final_text":"The first half, the second."})");
  EXPECT_EQ(out_, "The first half, the second.\n");
}

TEST_F(RunPrinterTest, Endings) {
  show(R"({"type":"text.delta","text":"half"})");
  show(R"({"type":"run.failed","code":0,"message":"LLM request failed"})");
  show(R"({"type":"text.delta","text":"half"})");
  show(R"({"type":"run.interrupted","reason":"user"})");
  show(R"({"type":"something.new","text":"x"})");
  EXPECT_EQ(out_, "half\nfailed: LLM request failed\nhalf\ninterrupted (user)\n");
}

TEST_F(RunPrinterTest, NobodysTextIsObeyed) {
  show(R"({"type":"text.delta","text":"\u001b[2J"})");
  show(R"({"type":"tool.call.ready","call_id":"c1","name":"\u001b[31m","args_json":"{\"p\":\"\u202e\u009b\"}"})");
  show(R"({"type":"tool.finished","call_id":"c1","status":0,"text":"\u001b]0;x\u0007"})");
  show(R"({"type":"warning","message":"\u001b[1m"})");
  show(R"({"type":"plan.made","text":"\u001b[1m"})");
  show(R"({"type":"step.finished","code_action":"x","observations":"\u001b[1m","error":"\u001b"})");
  show(R"({"type":"artifact.created","name":"\u001b"})");
  show(R"({"type":"run.failed","message":"\u001b"})");
  EXPECT_EQ(out_.find('\x1b'), std::string::npos);
  EXPECT_EQ(out_.find("\xC2\x9B"), std::string::npos);
  EXPECT_EQ(out_.find("\xE2\x80\xAE"), std::string::npos);
}

TEST(ScreenTest, AStatusGoesWithTheNextWord) {
  std::string out;
  const auto write = [&out](std::string_view text) { return out += text, true; };
  Screen screen({.text = write, .notes = write, .style = {}, .is_shared = true, .is_live = true});
  screen.status("working");
  screen.text("a");
  screen.status("not in the middle of a line");
  screen.end_text();
  EXPECT_EQ(out, "\r\x1b[Kworking\r\x1b[Ka\n");
}

TEST(ScreenTest, NotesDoNotBreakTextThatGoesElsewhere) {
  std::string text, notes;
  Screen screen({.text = [&](std::string_view s) { return text += s, true; },
                 .notes = [&](std::string_view s) { return notes += s, true; },
                 .style = {}});
  screen.text("one");
  screen.note("note");
  screen.text("\n\ntwo");
  screen.end_text();
  EXPECT_EQ(text, "one\n\ntwo\n");
  EXPECT_EQ(notes, "note\n");
}

TEST(LogLine, ReadableOnOneLine) {
  const auto line = [](std::string_view text, std::size_t columns = 0) { return log_line(event(text), {}, columns); };
  EXPECT_EQ(
      line(
          R"({"sequence":7,"at":1,"elapsed_ms":20,"type":"tool.call.ready","call_id":"c","name":"file_read","args_json":"{\"path\":\"a\"}"})"),
      R"(    7    0.020  tool.call.ready      name="file_read" args_json={"path":"a"} call_id="c")");
  EXPECT_EQ(line(R"({"sequence":8,"elapsed_ms":61001,"type":"tool.finished","status":3,"text":"a\nb","display":""})"),
            R"(    8   61.001  tool.finished        status=timeout text="a\nb")");
  EXPECT_EQ(line(R"({"sequence":9,"elapsed_ms":0,"type":"text.started"})"), "    9    0.000  text.started");
  EXPECT_EQ(line(R"({"sequence":9,"elapsed_ms":0,"type":"run.failed","code":99})"),
            "    9    0.000  run.failed           code=99");
  EXPECT_EQ(width_of(line(R"({"sequence":1,"type":"text.delta","text":")" + std::string(300, 'x') + R"("})", 80)), 80u);
  EXPECT_EQ(line(R"({"type":"text.delta","text":"\u001b\u202e"})").find_first_of("\x1b\xE2"), std::string::npos);
}

TEST(RunRow, TheTitleOrElseTheQuestion) {
  const WallTime now{1'771'102'980'000};
  const auto row =
      run_row(event(R"({"run_id":"run_1","status":"completed","agent":"writer","session_title":"New Session",
    "text":"Write a\nhaiku","created_at":"2026-02-14T21:00:00Z","duration_ms":1500,
    "usage":{"input_tokens":10,"output_tokens":5}})"),
              now, {});
  EXPECT_EQ(row, (std::vector<std::string>{"run_1", "completed", "writer", "3m", "1.5 s", "15", "Write a haiku"}));
  const auto titled = run_row(event(R"({"session_title":"Rivers","text":"x","usage":null})"), now, {});
  EXPECT_EQ(titled.back(), "Rivers");
  EXPECT_EQ(titled[5], "");
}

}  // namespace
}  // namespace braidlog::terminal
