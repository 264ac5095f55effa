#include "terminal/safe_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/json.h"
#include "base/utf8.h"

namespace braidlog::terminal {
namespace {

TEST(SafeText, PlainTextStaysAsItIs) {
  const std::string text = "line one\n\ttab, \xC3\xA4\xE2\x82\xAC \xE4\xB8\xAD\xF0\x9F\x99\x82 \\x1b";
  EXPECT_EQ(safe_text(text), text);
}

TEST(SafeText, EscapesAreSpelled) {
  EXPECT_EQ(safe_text("\x1b[2J\x1b]0;title\a"), "\\x1b[2J\\x1b]0;title\\x07");
  EXPECT_EQ(safe_text("a\x7f"
                      "b\b"),
            "a\\x7fb\\x08");
  EXPECT_EQ(safe_text(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(safe_text("\xC2\x9B"
                      "31m"),
            "\\x9b31m");  // C1: CSI in one character
  EXPECT_EQ(safe_text("\xC2\x85"), "\\x85");
}

TEST(SafeText, DirectionCannotBeTurned) {
  EXPECT_EQ(safe_text("a\xE2\x80\xAE"
                      "txt.exe"),
            "a\\u202etxt.exe");
  EXPECT_EQ(safe_text("\xE2\x81\xA6x\xE2\x81\xA9"), "\\u2066x\\u2069");
  EXPECT_EQ(safe_text("\xE2\x80\xA8\xE2\x80\xA9"), "\\u2028\\u2029");
  EXPECT_EQ(safe_text("\xF3\xA0\x81\x81"), "\\u{e0041}");      // an invisible tag
  EXPECT_EQ(safe_text("\xD7\xA9\xE2\x80\x8F!"), "\xD7\xA9!");  // a mark, as honest Hebrew has it
}

TEST(SafeText, CarriageReturns) {
  EXPECT_EQ(safe_text("a\r\nb"), "a\nb");
  EXPECT_EQ(safe_text("right\rwrong"), "right\\x0dwrong");
}

TEST(SafeText, BytesThatAreNoText) {
  EXPECT_EQ(safe_text("a\xff\x9b"
                      "b"),
            "a\xEF\xBF\xBD\xEF\xBF\xBD"
            "b");
}

TEST(SafeText, OneLine) {
  EXPECT_EQ(safe_line("  a\n\n b\tc\r\n"), "a b c");
  EXPECT_EQ(safe_line("\n \t"), "");
}

TEST(SafeText, JsonStaysTheSameValue) {
  const std::string json = "{\"path\":\"a\x7f\xC2\x9B\xE2\x80\xAE\xE2\x80\x8F\xF3\xA0\x81\x81\"}";
  const std::string safe = safe_json(json);
  EXPECT_EQ(safe, R"({"path":"a\u007f\u009b\u202e\u200f\udb40\udc41"})");
  EXPECT_EQ(*parse_json(safe), *parse_json(json));
}

// Nothing of what a terminal obeys comes through, whatever the bytes.
RC_GTEST_PROP(SafeText, NothingHostileIsLeft, (const std::string& bytes)) {
  for (const auto& text : {safe_text(bytes), safe_line(bytes), safe_json(bytes)}) {
    RC_ASSERT(is_valid_utf8(text));
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      RC_ASSERT(c >= 0x20 || c == '\n' || c == '\t');
      RC_ASSERT(c != 0x7F);
      if (c == 0xC2) RC_ASSERT(static_cast<unsigned char>(text[i + 1]) >= 0xA0);
    }
  }
}

TEST(SafeText, JsonOnOneLineKeepsItsStrings) {
  EXPECT_EQ(safe_json_line("{\"path\" : \"a  b\",\n\n\n \"n\":\t9007199254740993,\"q\":\"\\\\\", \"r\": \"\\\" x\"}"),
            R"({"path":"a  b","n":9007199254740993,"q":"\\","r":"\" x"})");
}

}  // namespace
}  // namespace braidlog::terminal
