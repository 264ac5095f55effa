#include "auth/secret.h"

#include <gtest/gtest.h>

#include <set>

#include "auth/password.h"
#include "auth/user_name.h"

namespace braidlog::auth {
namespace {

TEST(Secret, TokensAndKeysHaveTheirShape) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto token = make_token(), key = make_key();
    EXPECT_TRUE(is_token(token)) << token;
    EXPECT_TRUE(is_key(key)) << key;
    EXPECT_FALSE(is_key(token)) << token;
    EXPECT_EQ(key.size(), 47u);
    EXPECT_TRUE(seen.insert(token).second && seen.insert(key).second);
  }
  const std::string token = make_token();
  for (const auto& bad : {std::string(), token + "A", token.substr(1), "+" + token.substr(1), " " + token.substr(1),
                          "=" + token.substr(1), std::string(43, '\0')}) {
    EXPECT_FALSE(is_token(bad)) << bad;
    EXPECT_FALSE(is_key("brk_" + bad)) << bad;
  }
  EXPECT_FALSE(is_key("BRK_" + token));
}

TEST(Secret, AHashSurvivesTheStore) {
  const auto hash = hash_of("brk_abc");
  EXPECT_EQ(to_hash(hash.text()), hash);
  EXPECT_FALSE(hash_of("brk_abd") == hash);
  EXPECT_EQ(to_hash("too short"), SecretHash{});
}

TEST(Password, FitsItsHashAlone) {
  const auto hash = hash_password("correct horse");
  ASSERT_TRUE(hash.has_value());
  EXPECT_TRUE(hash->starts_with("$argon2id$")) << *hash;
  EXPECT_EQ(password_fits(*hash, "correct horse"), true);
  EXPECT_EQ(password_fits(*hash, "correct horse "), false);
  EXPECT_EQ(password_fits(*hash, ""), false);
  EXPECT_EQ(password_fits("no hash", "correct horse"), false);
  EXPECT_EQ(password_fits(kNobodysPassword, ""), false);
}

// Or an unknown name could be told from a known one by its time.
TEST(Password, NobodysHasTheSameParametersAsEverybodys) {
  const auto parameters = [](const std::string& hash) { return hash.substr(0, hash.find('$', hash.find("p=")) + 1); };
  EXPECT_EQ(parameters(kNobodysPassword), parameters(*hash_password("x")));
}

TEST(UserName, WhatItCanBe) {
  for (const char* good : {"a", "Ada", "ada.lovelace@example.com", "x_1-2", "demo2"}) {
    EXPECT_TRUE(check_user_name(good).has_value()) << good;
  }
  EXPECT_TRUE(check_user_name(std::string(64, 'a')).has_value());
  for (const auto& bad : {std::string(), std::string("a b"), std::string("a/b"), std::string("ad\xc3\xa4"),
                          std::string(65, 'a'), std::string("a\n"), std::string("demo"), std::string("DeMo")}) {
    const auto checked = check_user_name(bad);
    ASSERT_FALSE(checked.has_value()) << bad;
    EXPECT_EQ(checked.error().code, ErrorCode::kBadField);
  }
}

TEST(UserName, WhatAPasswordCanBe) {
  EXPECT_TRUE(check_password("x").has_value());
  EXPECT_TRUE(check_password(std::string(1024, 'x')).has_value());
  for (const auto& bad : {std::string(), std::string(1025, 'x'), std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_FALSE(check_password(bad).has_value());
  }
}

}  // namespace
}  // namespace braidlog::auth
