#include "wire/http.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>

namespace braidlog {
namespace {

HttpRequest request_for(std::string target) {
  HttpRequest request;
  request.target = std::move(target);
  split_target(request);
  return request;
}

TEST(Http, NamesCompareWithoutCase) {
  EXPECT_TRUE(equals_ignoring_case("Content-Length", "content-LENGTH"));
  EXPECT_FALSE(equals_ignoring_case("Content-Length", "Content-Lengt"));
  EXPECT_FALSE(equals_ignoring_case("a@", "a`"));  // these differ in the bit that the case of letters differs in
}

TEST(Http, TheFirstHeaderOfANameCounts) {
  HttpRequest request;
  request.headers = {{"X-A", "1"}, {"x-a", "2"}};
  EXPECT_EQ(request.header("x-A"), "1");
  EXPECT_EQ(request.header("x-b"), std::nullopt);
}

TEST(Http, TargetsAreSplit) {
  const auto request = request_for("/a%2Fb?x=1+2&x=3&empty=&bare&%C3%BC=%26");
  EXPECT_EQ(request.path, "/a%2Fb");
  const std::vector<std::pair<std::string, std::string>> expected{
      {"x", "1 2"}, {"x", "3"}, {"empty", ""}, {"bare", ""}, {"\xC3\xBC", "&"}};
  EXPECT_EQ(request.query, expected);
  EXPECT_TRUE(request.query_is_valid);
  EXPECT_EQ(request.parameter("x"), "1 2");
  EXPECT_EQ(request.parameter("y"), std::nullopt);
  EXPECT_TRUE(request_for("/").query.empty());
  EXPECT_TRUE(request_for("/?").query.empty());
  EXPECT_EQ(request_for("/?a=b=c").parameter("a"), "b=c");
}

TEST(Http, BrokenQueriesAreMarked) {
  for (const char* target : {"/?a=%", "/?a=%2", "/?a=%zz", "/?a=%FF", "/?%C0%AF=b", "/?a=%00", "/?a=1&b=%ED%A0%80"}) {
    EXPECT_FALSE(request_for(target).query_is_valid) << target;
  }
  EXPECT_EQ(request_for("/?a=1&b=%").parameter("a"), "1");
}

TEST(Http, DecodingKeepsOrTurnsThePlus) {
  EXPECT_EQ(percent_decode("a+b%20c"), "a+b c");
  EXPECT_EQ(form_decode("a+b%20c"), "a b c");
  EXPECT_EQ(percent_decode("%00"), std::nullopt);
  EXPECT_EQ(percent_decode("%4"), std::nullopt);
  EXPECT_EQ(percent_decode("%C3"), std::nullopt);
}

TEST(Http, EncodingLeavesNothingThatMeansSomethingInAUrl) {
  EXPECT_EQ(percent_encode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encode(" /?#[]@!$&'()*+,;=%:\\\"<>{}|^`\r\n"),
            "%20%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%3A%5C%22%3C%3E%7B%7D%7C%5E%60%0D%0A");
  EXPECT_EQ(percent_encode("ü\x7f"), "%C3%BC%7F");
  EXPECT_EQ(percent_decode(percent_encode("ü /%2F+")), "ü /%2F+");
}

TEST(Http, WhatIsEncodedReadsBack) {
  rc::check("round trip", [](const std::vector<unsigned char>& raw) {
    std::string text, encoded;
    for (const unsigned char byte : raw) {
      const char c = static_cast<char>(byte % 127 + 1);
      text += c;
      std::array<char, 4> escape{};
      std::snprintf(escape.data(), escape.size(), "%%%02x", static_cast<unsigned char>(c));
      encoded += escape.data();
    }
    RC_ASSERT(percent_decode(encoded) == text);
    RC_ASSERT(form_decode(encoded) == text);
  });
}

TEST(Http, ResponsesOfTheUsualKinds) {
  const auto json = HttpResponse::json(422, "{}");
  EXPECT_EQ(json.status, 422);
  ASSERT_EQ(json.headers.size(), 1U);
  EXPECT_EQ(json.headers[0].value, "application/json");
  EXPECT_EQ(HttpResponse::empty(204).body, "");
  EXPECT_EQ(reason_phrase(404), "Not Found");
  EXPECT_EQ(reason_phrase(299), "Unknown");
  EXPECT_EQ(name_of(Method::kPatch), "PATCH");
}

}  // namespace
}  // namespace braidlog
