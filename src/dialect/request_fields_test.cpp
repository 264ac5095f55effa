#include "dialect/request_fields.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

HttpRequest request(std::string target, std::vector<HttpHeader> headers = {}) {
  HttpRequest request;
  request.target = std::move(target);
  split_target(request);
  request.headers = std::move(headers);
  return request;
}

BodyFields fields(std::string_view body) {
  return *BodyFields::read(body, BodyPresence::kRequired);
}

TEST(RequestFields, TheQueryMustBeText) {
  EXPECT_TRUE(check_query(request("/?a=b")));
  EXPECT_EQ(check_query(request("/?a=%ff")).error().code, ErrorCode::kMalformed);
}

TEST(RequestFields, NumbersHaveARange) {
  const NumberRule rule{1, 100, 20};
  EXPECT_EQ(number_parameter(request("/"), "limit", rule), 20u);
  EXPECT_EQ(number_parameter(request("/?limit=1"), "limit", rule), 1u);
  EXPECT_EQ(number_parameter(request("/?limit=100"), "limit", rule), 100u);
  for (const char* query : {"/?limit=", "/?limit=0", "/?limit=101", "/?limit=-1", "/?limit=1.0", "/?limit=%201",
                            "/?limit=4294967297", "/?limit=ten"}) {
    EXPECT_EQ(number_parameter(request(query), "limit", rule).error().subject, "limit") << query;
  }
}

TEST(RequestFields, ScopeKnowsOneWord) {
  EXPECT_EQ(wants_everybody(request("/")), false);
  EXPECT_EQ(wants_everybody(request("/?scope=all")), true);
  for (const char* query : {"/?scope=", "/?scope=ALL", "/?scope=own"}) {
    EXPECT_EQ(wants_everybody(request(query)).error().code, ErrorCode::kBadField) << query;
  }
}

TEST(RequestFields, IdempotencyKeys) {
  const Limits limits;
  const ClientInfo client;
  const auto key = [&](std::vector<HttpHeader> headers, std::optional<std::string> in_body = {}) {
    const HttpRequest http = request("/", std::move(headers));
    return idempotency_key({http, {}, limits, client}, in_body);
  };
  EXPECT_EQ(key({}), "");
  EXPECT_EQ(key({{"idempotency-key", "k"}}), "k");
  EXPECT_EQ(key({}, "k"), "k");
  EXPECT_EQ(key({{"Idempotency-Key", "k"}}, "k"), "k");
  EXPECT_FALSE(key({{"Idempotency-Key", "k"}}, "other"));
  EXPECT_FALSE(key({{"Idempotency-Key", ""}}));
  EXPECT_FALSE(key({{"Idempotency-Key", "\xff"}}));
  EXPECT_FALSE(key({}, std::string(limits.idempotency_key_bytes_max + 1, 'k')));
  EXPECT_FALSE(key({}, std::string("a\0b", 3)));
}

TEST(RequestFields, Titles) {
  EXPECT_EQ(required_title(fields(R"({"title":"A title"})")), "A title");
  EXPECT_EQ(*title_field(fields("{}")), std::nullopt);
  EXPECT_EQ(*title_field(fields(R"({"title":null})")), std::nullopt);
  std::string long_title;
  for (int i = 0; i < 200; ++i) long_title += "\u20ac";
  EXPECT_TRUE(required_title(fields("{\"title\":\"" + long_title + "\"}"))) << "characters are counted, not bytes";
  for (const std::string& body : {std::string("{}"), std::string(R"({"title":null})"), std::string(R"({"title":""})"),
                                  std::string(R"({"title":" \u2003\n"})"), std::string(R"({"title":1})"),
                                  std::string(R"({"title":"a\u0000"})"), "{\"title\":\"" + long_title + "x\"}"}) {
    EXPECT_EQ(required_title(fields(body)).error().subject, "title") << body;
  }
}

}  // namespace
}  // namespace braidlog
