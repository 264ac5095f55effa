#include "dialect/title.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"

namespace braidlog {
namespace {

TEST(Title, IsTheMessageOnOneLine) {
  EXPECT_EQ(title_of("Hello"), "Hello");
  EXPECT_EQ(title_of("  What \t is\n\nthe return\r\npolicy?  "), "What is the return policy?");
  EXPECT_EQ(title_of("a\u00a0\u2028\u3000b"), "a b");
  EXPECT_EQ(title_of(" \n "), "");
  EXPECT_EQ(title_of(""), "");
}

TEST(Title, EightyCharactersFit) {
  const std::string words = std::string(39, 'a') + " " + std::string(40, 'b');
  EXPECT_EQ(title_of(words), words);
  EXPECT_EQ(title_of(words + " "), words);
  EXPECT_EQ(title_of(words + " more"), words);
  EXPECT_EQ(title_of(words + "b"), std::string(39, 'a'));
}

TEST(Title, ALongWordAloneIsCut) {
  EXPECT_EQ(title_of(std::string(100, 'x')), std::string(80, 'x'));
  EXPECT_EQ(title_of(" " + std::string(100, 'x') + " y"), std::string(80, 'x'));
}

TEST(Title, CountsCharactersAndNotBytes) {
  std::string euros, eighty;
  for (int i = 0; i < 100; ++i) euros += "\u20ac";
  for (int i = 0; i < 80; ++i) eighty += "\u20ac";
  EXPECT_EQ(title_of(euros), eighty);
}

TEST(Title, IsAlwaysShortOneLineAndText) {
  EXPECT_TRUE(rc::check([] {
    const std::string message = to_valid_utf8(*rc::gen::container<std::string>(
        *rc::gen::inRange<std::size_t>(0, 200), rc::gen::weightedOneOf<char>({{5, rc::gen::inRange('a', 'z')},
                                                                              {2, rc::gen::element(' ', '\n', '\t')},
                                                                              {1, rc::gen::arbitrary<char>()}})));
    const std::string title = title_of(message);
    RC_ASSERT(is_valid_utf8(title));
    RC_ASSERT(count_code_points(title) <= 80u);
    RC_ASSERT(title.empty() == is_blank(message));
    RC_ASSERT(!title.starts_with(' ') && !title.ends_with(' '));
    RC_ASSERT(title.find("  ") == std::string::npos && title.find('\n') == std::string::npos);
  }));
}

}  // namespace
}  // namespace braidlog
