#include "tool/schema.h"

#include <gtest/gtest.h>

namespace braidlog::tool {
namespace {

std::string faults(std::string_view schema, std::string_view value) {
  auto compiled = Schema::compile(schema);
  EXPECT_TRUE(compiled) << schema;
  const auto status = compiled->check(parse_json(value).value());
  if (status) return "";
  EXPECT_EQ(status.error().code, ErrorCode::kToolInvalidArguments);
  return status.error().message;
}

constexpr const char* kSchema = R"({"type":"object","properties":{
  "path":{"type":"string","minLength":1,"maxLength":5}, "n":{"type":["integer","null"],"minimum":1,"maximum":9},
  "mode":{"enum":["fast","slow"]}, "tags":{"type":"array","maxItems":2,"items":{"type":"string"}},
  "deep":{"type":"object","properties":{"flag":{"type":"boolean"}},"required":["flag"]}},
  "required":["path"],"additionalProperties":false})";

TEST(Schema, SaysWhatIsWrongWhere) {
  EXPECT_EQ(faults(kSchema, R"({"path":"a","n":3,"mode":"fast","tags":["x"],"deep":{"flag":true}})"), "");
  EXPECT_EQ(faults(kSchema, R"({"path":"a","n":null})"), "");
  EXPECT_EQ(faults(kSchema, R"({"path":7})"), "path: expected string");
  EXPECT_EQ(faults(kSchema, R"({})"), "path: is required");
  EXPECT_EQ(faults(kSchema, R"({"path":"a","paht":"b"})"), "paht: unknown argument");
  EXPECT_EQ(faults(kSchema, R"({"path":""})"), "path: must not be empty");
  EXPECT_EQ(faults(kSchema, R"({"path":"abcdef"})"), "path: must have at most 5 characters");
  EXPECT_EQ(faults(kSchema, R"({"path":"a","n":1.5})"), "n: expected integer or null");
  EXPECT_EQ(faults(kSchema, R"({"path":"a","n":0})"), "n: must be at least 1");
  EXPECT_EQ(faults(kSchema, R"({"path":"a","n":10})"), "n: must be at most 9");
  EXPECT_EQ(faults(kSchema, R"({"path":"a","mode":"odd"})"), R"(mode: expected one of "fast", "slow")");
  EXPECT_EQ(faults(kSchema, R"({"path":"a","tags":["x",2]})"), "tags.1: expected string");
  EXPECT_EQ(faults(kSchema, R"({"path":"a","tags":["x","y","z"]})"), "tags: must have at most 2 items");
  EXPECT_EQ(faults(kSchema, R"({"path":"a","deep":{}})"), "deep.flag: is required");
  EXPECT_EQ(faults(kSchema, R"([1])"), "arguments: expected object");
  EXPECT_EQ(faults(kSchema, R"({"path":1,"n":"x"})"), "path: expected string\nn: expected integer or null");
}

TEST(Schema, LengthIsInCharactersNotBytes) {
  EXPECT_EQ(faults(kSchema, "{\"path\":\"äöüßé\"}"), "");
}

TEST(Schema, FallsBackToTheLibrarysWords) {
  const auto text =
      faults(R"({"type":"object","properties":{"a":{"type":"string","pattern":"^x+$"}}})", R"({"a":"y"})");
  EXPECT_TRUE(text.starts_with("a: ")) << text;
  EXPECT_NE(text.find("pattern"), std::string::npos);
}

TEST(Schema, ManyFaultsStayShort) {
  std::string value = R"({"path":"a")";
  for (int i = 0; i < 100; ++i) value += ",\"k" + std::to_string(i) + "\":1";
  const auto text = faults(kSchema, value + "}");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7);
}

TEST(Schema, RefusesWhatIsNoSchema) {
  EXPECT_EQ(Schema::compile("{").error().code, ErrorCode::kMalformed);
  EXPECT_EQ(Schema::compile("[]").error().code, ErrorCode::kBadField);
  EXPECT_EQ(Schema::compile(R"({"type":7})").error().code, ErrorCode::kBadField);
  EXPECT_EQ(Schema::compile(R"({"properties":{"a":{"minLength":"x"}}})").error().code, ErrorCode::kBadField);
}

TEST(Schema, NeverFetchesAnotherDocument) {
  for (const char* ref : {"http://127.0.0.1/x.json", "file:///etc/passwd", "other.json", "//evil.test/#/a"}) {
    const auto schema = Schema::compile(std::string(R"({"properties":{"a":{"$ref":")") + ref + R"("}}})");
    ASSERT_FALSE(schema) << ref;
    EXPECT_EQ(schema.error().message, "a $ref of the schema leads outside, nowhere or in a circle");
  }
}

TEST(Schema, FollowsItsOwnDefinitions) {
  const char* schema =
      R"({"type":"object","properties":{"a":{"$ref":"#/definitions/word"}},"definitions":{"word":{"type":"string"}}})";
  EXPECT_EQ(faults(schema, R"({"a":"x"})"), "");
  EXPECT_NE(faults(schema, R"({"a":1})"), "");
}

TEST(Schema, AReferenceInACircleIsRefusedNotFollowedForEver) {
  EXPECT_FALSE(Schema::compile(
      R"({"properties":{"x":{"$ref":"#/definitions/a"}},"definitions":{"a":{"$ref":"#/definitions/a"}}})"));
  EXPECT_FALSE(Schema::compile(R"({"properties":{"x":{"$ref":"#/properties/nowhere"}}})"));
  EXPECT_FALSE(Schema::compile(R"({"properties":{"x":{"$ref":"#/properties/%78"}}})"));
}

TEST(Schema, ATreeIsNoCircle) {
  const char* tree = R"({"type":"object","properties":{"node":{"$ref":"#/definitions/node"}},"definitions":{"node":
    {"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/definitions/node"}}}}})";
  EXPECT_EQ(faults(tree, R"({"node":{"name":"a","next":{"name":"b"}}})"), "");
  EXPECT_NE(faults(tree, R"({"node":{"name":"a","next":{"name":7}}})"), "");
}

TEST(Schema, ALongTextIsNotMatchedWithAnExpression) {
  const std::string text(100'000, 'a');
  for (const char* rule : {R"("pattern":"^(a|b)*$")", R"("format":"date-time")"}) {
    const auto schema =
        Schema::compile(R"({"type":"object","properties":{"x":{"type":"string",)" + std::string(rule) + "}}}");
    ASSERT_TRUE(schema) << rule;
    EXPECT_FALSE(schema->check(json::object{{"x", text}})) << rule;
  }
  const auto plain = Schema::compile(R"({"type":"object","properties":{"x":{"type":"string"}}})");
  EXPECT_TRUE(plain->check(json::object{{"x", text}})) << "where there is none it may be long";
}

}  // namespace
}  // namespace braidlog::tool
