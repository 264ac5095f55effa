#include "provider/offline/phrases.h"

#include <gtest/gtest.h>

namespace braidlog::provider {
namespace {

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> out;
  for (const auto& word : split_words(text)) out.push_back((word.quoted ? "=" : "") + word.text);
  return out;
}
using Texts = std::vector<std::string>;

TEST(Phrases, WordsWithoutTheirPunctuation) {
  EXPECT_EQ(texts("Hello, (dear) world!  It's\nme..."), (Texts{"Hello", "dear", "world", "It's", "me"}));
  EXPECT_EQ(texts("... !"), Texts{});
}

TEST(Phrases, QuotesHoldTogether) {
  EXPECT_EQ(texts("write \"two words\", 'a b' and `c d`."), (Texts{"write", "=two words", "=a b", "and", "=c d"}));
  EXPECT_EQ(texts("'it's here' now"), (Texts{"=it's here", "now"}));
  EXPECT_EQ(texts("\"open only"), (Texts{"open", "only"}));
  EXPECT_EQ(texts("\"over\nlines\""), (Texts{"over", "lines"}));
  EXPECT_EQ(texts("\"no 'yes' \n\"yes too\""), (Texts{"no", "=yes", "=yes too"}));
}

TEST(Phrases, AMessageOfQuotesIsReadInOneGo) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += "\"a ";
  EXPECT_EQ(split_words(text).size(), 500'000u);
}

TEST(Phrases, FindsWholeWordsOnly) {
  EXPECT_EQ(find_phrase("a long story", "long story"), 2u);
  EXPECT_EQ(find_phrase("belong story", "long story"), std::string_view::npos);
  EXPECT_EQ(find_phrase("longs long", "long"), 6u);
}

TEST(Phrases, Shortens) {
  EXPECT_EQ(shorten("  a\n\n b\t", 10), "a b");
  EXPECT_EQ(shorten("ääää", 5), "ää…");
  EXPECT_EQ(first_words("a b c", 3, 60), "a b c");
  EXPECT_EQ(first_words("a b c", 2, 60), "a b…");
  EXPECT_EQ(first_words("", 2, 60), "");
}

TEST(Phrases, JoinsNames) {
  EXPECT_EQ(join_names({"a"}), "a");
  EXPECT_EQ(join_names({"a", "b"}), "a and b");
  EXPECT_EQ(join_names({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace braidlog::provider
