#include "dialect/body_fields.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

TEST(BodyFields, ReadsTypedFields) {
  const auto fields = BodyFields::read(R"({"s":"text","b":true,"n":null,"other":[1]})", BodyPresence::kRequired);
  ASSERT_TRUE(fields);
  EXPECT_EQ(**fields->string("s"), "text");
  EXPECT_EQ(**fields->boolean("b"), true);
  EXPECT_EQ(*fields->string("n"), std::nullopt);
  EXPECT_EQ(*fields->boolean("missing"), std::nullopt);
}

TEST(BodyFields, WrongTypesNameTheField) {
  const auto fields = BodyFields::read(R"({"s":1,"b":"true"})", BodyPresence::kRequired);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->string("s").error().code, ErrorCode::kBadField);
  EXPECT_EQ(fields->string("s").error().subject, "s");
  EXPECT_EQ(fields->boolean("b").error().subject, "b");
}

TEST(BodyFields, Lists) {
  const auto fields = BodyFields::read(R"({"l":["a",1],"e":[],"n":null,"o":{}})", BodyPresence::kRequired);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->array("l")->size(), 2u);
  EXPECT_EQ((*fields->array("l"))[0].as_string(), "a");
  for (const char* name : {"e", "n", "missing"}) EXPECT_TRUE(fields->array(name)->empty()) << name;
  EXPECT_EQ(fields->array("o").error().subject, "o");
}

TEST(BodyFields, OnlyAnObjectIsABody) {
  for (const char* body : {"[]", "null", "1", "\"x\"", "true"}) {
    EXPECT_EQ(BodyFields::read(body, BodyPresence::kOptional).error().code, ErrorCode::kBadField) << body;
  }
  for (const char* body : {"{", "nope", "{} {}", " ", "{\"a\":1,\"a\":2}", "{\"a\":\"\xff\"}", "{\"a\":\"\\ud800\"}"}) {
    EXPECT_EQ(BodyFields::read(body, BodyPresence::kOptional).error().code, ErrorCode::kMalformed) << body;
  }
  EXPECT_FALSE(BodyFields::read(std::string(100'000, '['), BodyPresence::kOptional));
}

TEST(BodyFields, NothingIsABodyOnlyWhereItMayBe) {
  EXPECT_TRUE(BodyFields::read("", BodyPresence::kOptional));
  EXPECT_EQ(BodyFields::read("", BodyPresence::kRequired).error().code, ErrorCode::kMalformed);
}

TEST(CheckText, LengthAndNul) {
  EXPECT_TRUE(check_text("t", "abc", 3));
  EXPECT_EQ(check_text("t", "abcd", 3).error().subject, "t");
  EXPECT_FALSE(check_text("t", std::string_view("a\0b", 3), 9));
}

}  // namespace
}  // namespace braidlog
