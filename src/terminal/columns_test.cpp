#include "terminal/columns.h"

#include <gtest/gtest.h>

namespace braidlog::terminal {
namespace {

class Columns : public ::testing::Test {
 protected:
  Columns() { use_utf8_locale(); }
};

TEST_F(Columns, Widths) {
  EXPECT_EQ(width_of("abc"), 3u);
  EXPECT_EQ(width_of("\xC3\xA4\xC3\xB6"), 2u);
  EXPECT_EQ(width_of("\xE4\xB8\xAD\xE6\x96\x87"), 4u);  // two wide ones
  EXPECT_EQ(width_of("e\xCC\x81"), 1u);                 // an accent on its letter
  EXPECT_EQ(width_of("\x1b[31mred\x1b[0m"), 3u);
}

TEST_F(Columns, CutsBetweenCharacters) {
  EXPECT_EQ(cut_to("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to("abcdef", 4), "abc\xE2\x80\xA6");
  EXPECT_EQ(cut_to("\xE4\xB8\xAD\xE6\x96\x87\xE4\xB8\xAD", 4), "\xE4\xB8\xAD\xE2\x80\xA6");
  EXPECT_EQ(cut_to("abc", 1), "\xE2\x80\xA6");
  EXPECT_EQ(cut_to("abc", 0), "");
}

TEST_F(Columns, TablesAreAsWideAsTheirWidestCell) {
  EXPECT_EQ(text_table({{"A", "LONG", "Z"}, {"\xC3\xA4\xC3\xB6", "\x1b[31mx\x1b[0m", "y"}, {"\xE4\xB8\xAD", "", ""}}),
            "A   LONG  Z\n\xC3\xA4\xC3\xB6  \x1b[31mx\x1b[0m     y\n\xE4\xB8\xAD\n");
}

}  // namespace
}  // namespace braidlog::terminal
