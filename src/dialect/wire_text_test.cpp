#include "dialect/wire_text.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

std::string cut(std::string_view text, std::size_t bytes_max) {
  std::string out = "x";
  append_cut_json_string(out, text, bytes_max);
  return out.substr(1);
}

TEST(WireText, ShortTextIsWhole) {
  EXPECT_EQ(cut("", 3), "\"\"");
  EXPECT_EQ(cut("a\"b", 3), "\"a\\\"b\"");
}

TEST(WireText, LongTextIsCutAndSaysSo) {
  EXPECT_EQ(cut("abcd", 3), "\"abc\u2026 [cut: 1 bytes]\"");
  EXPECT_EQ(cut("abcd", 0), "\"\u2026 [cut: 4 bytes]\"");
}

TEST(WireText, IsCutBetweenCharacters) {
  EXPECT_EQ(cut("ab\xe2\x82\xac"
                "c",
                4),
            "\"ab\u2026 [cut: 4 bytes]\"");
  EXPECT_EQ(cut("a\"\"", 2), "\"a\\\"\u2026 [cut: 1 bytes]\"");  // never inside an escape
}

}  // namespace
}  // namespace braidlog
