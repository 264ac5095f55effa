#include "terminal/client.h"

#include <gtest/gtest.h>

namespace braidlog::terminal {
namespace {

TEST(Client, ErrorsOfEveryContract) {
  EXPECT_EQ(error_words(404, R"({"error":"Run not found"})"), "Run not found");
  EXPECT_EQ(error_words(409, R"({"error":{"code":"X","message":"Busy","details":{}}})"), "Busy");
  EXPECT_EQ(error_words(422, R"({"detail":"message is required"})"), "message is required");
  EXPECT_EQ(error_words(400, R"({"title":"Bad Request","detail":"no"})"), "no");
  EXPECT_EQ(error_words(502, "<html>Bad gateway</html>"), "the server answered 502");
  EXPECT_EQ(error_words(400, R"({"error":"a\u001b[2J\nb"})"), "a\\x1b[2J b");
}

TEST(Client, WhatIsWorthAskingAgain) {
  EXPECT_TRUE(Reply{.kind = Reply::Kind::kNobody}.is_passing());
  EXPECT_TRUE(Reply{.kind = Reply::Kind::kLost}.is_passing());
  EXPECT_FALSE(Reply{.kind = Reply::Kind::kStopped}.is_passing());
  EXPECT_TRUE((Reply{.kind = Reply::Kind::kAnswer, .status = 503}.is_passing()));
  EXPECT_FALSE((Reply{.kind = Reply::Kind::kAnswer, .status = 429}.is_passing()));
  EXPECT_FALSE((Reply{.kind = Reply::Kind::kAnswer, .status = 202}.is_passing()));
}

// Nothing is asked of the network here: only what would be.
TEST(Client, RequestsCarryTheKeyAndNothingElse) {
  auto pump = Pump::make();
  ASSERT_TRUE(pump);
  const Client with(**pump, {.url = "http://host/base", .key = "bk_1"});
  const auto get = with.request(Method::kGet, "/runs/x");
  EXPECT_EQ(get.url, "http://host/base/runs/x");
  ASSERT_EQ(get.headers.size(), 1u);
  EXPECT_EQ(get.headers[0].value, "Bearer bk_1");
  const Client without(**pump, {.url = "http://host", .key = ""});
  EXPECT_TRUE(without.request(Method::kGet, "/").headers.empty());
  EXPECT_EQ(without.request(Method::kPost, "/", "{}").headers.at(0).name, "Content-Type");
  // The address is in the words for people, the key never is.
  EXPECT_EQ(with.words_of({.kind = Reply::Kind::kNobody}),
            "No server at http://host/base: start one with braidlog serve --dev");
  EXPECT_EQ(with.words_of({.kind = Reply::Kind::kAnswer, .status = 401}), "The server does not take this key");
}

}  // namespace
}  // namespace braidlog::terminal
