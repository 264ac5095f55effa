#include "tool/http/secrets.h"

#include <gtest/gtest.h>

#include <chrono>

namespace braidlog::tool {
namespace {

Secrets holding(const std::string& value) {
  Secrets secrets;
  EXPECT_TRUE(secrets.expand("${NAME}", [&](const std::string&) { return std::optional(value); }));
  return secrets;
}

TEST(SecretsTest, EverySpellingIsTakenOutEverywhere) {
  const auto secrets = holding("a/b\"c d");
  EXPECT_EQ(secrets.removed_from("a/b\"c d, a/b\"c d"), "[secret], [secret]");
  EXPECT_EQ(secrets.removed_from(R"(x a/b\"c d y)"), "x [secret] y");
  EXPECT_EQ(secrets.removed_from("?q=a%2Fb%22c%20d&r"), "?q=[secret]&r");
  EXPECT_EQ(secrets.removed_from("a/b\"c"), "a/b\"c");
  EXPECT_EQ(secrets.removed_from(""), "");
  EXPECT_EQ(holding("abc").removed_from("abc"), "abc") << "too short to be told from a word";
}

TEST(SecretsTest, ManyOfThemTakeNoLongerThanTheirText) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "0123456789";
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(holding("0123456789").removed_from(text).size(), 200'000U * 8);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(2));
}

}  // namespace
}  // namespace braidlog::tool
