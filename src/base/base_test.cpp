#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <set>

#include "base/ids.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/release_memory.h"
#include "base/testing/fake_loop.h"
#include "base/utf8.h"

namespace braidlog {
namespace {

TEST(IdSource, GoesOnAfterAnIdThatItDidNotMake) {
  testing::FakeClock clock;
  IdSource earlier(clock, 1), later(clock, 2);
  const Id128 last = earlier.next();
  clock.step_wall(std::chrono::hours(-1));
  later.follow(last);
  EXPECT_GT(later.next(), last);
  later.follow(Id128{});
  EXPECT_GT(later.next(), last) << "an older id changes nothing";
}

TEST(Ids, EverySpellingReadsBack) {
  testing::FakeClock clock;
  IdSource source(clock, 7);
  for (int i = 0; i < 1000; ++i) {
    const auto id = source.make<RunId>();
    EXPECT_EQ(RunId::parse(to_uuid(id)), id);
    EXPECT_EQ(RunId::parse(to_ulid(id)), id);
    EXPECT_EQ(RunId::parse(to_prefixed(id)), id);
    EXPECT_EQ(to_uuid(id)[14], '7');
  }
}

TEST(Ids, MalformedIsNone) {
  for (const char* text : {"", "x", "run_", "../../../../etc/passwd", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "0195-0000",
                           "01ARZ3NDEKTSV4RRFFQ69G5FAU!", "01ARZ3NDEKTSV4RRFFQ69G5FIL",
                           "550e8400-e29b-41d4-a716-44665544000g", "550e8400ae29b-41d4-a716-446655440000"}) {
    EXPECT_FALSE(parse_id(text)) << text;
  }
}

TEST(Ids, GrowWhenTheClockStepsBack) {
  testing::FakeClock clock;
  IdSource source(clock, 7);
  Id128 last = source.next();
  for (int i = 0; i < 20000; ++i) {
    if (i == 5000) clock.step_wall(std::chrono::hours(-1));
    if (i == 9000) clock.step_wall(std::chrono::hours(2));
    const Id128 id = source.next();
    ASSERT_LT(last, id);
    ASSERT_LT(to_ulid(last), to_ulid(id));
    last = id;
  }
}

TEST(Utf8, StrictAboutEveryForm) {
  EXPECT_TRUE(is_valid_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* bad : {"\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xf0\x80\x80\x80",
                          "\xc3", "\xe2\x82", "\xf4\x90\x80\x80", "\xff"}) {
    EXPECT_FALSE(is_valid_utf8(bad));
    EXPECT_TRUE(is_valid_utf8(to_valid_utf8(bad)));
  }
  EXPECT_EQ(utf8_prefix("ab\xe2\x82\xac", 4), "ab");
  EXPECT_EQ(count_code_points("ab\xe2\x82\xac"), 3u);
}

TEST(Utf8, TheFirstCharacters) {
  EXPECT_EQ(first_code_points("ab\xe2\x82\xac\xc3\xa4", 3), "ab\xe2\x82\xac");
  EXPECT_EQ(first_code_points("ab", 2), "ab");
  EXPECT_EQ(first_code_points("ab", 0), "");
  EXPECT_EQ(first_code_points("", 5), "");
}

TEST(Utf8, TheCaseOfLettersOfAllLanguages) {
  EXPECT_EQ(fold_case("Hello, WORLD 7!"), "hello, world 7!");
  EXPECT_EQ(fold_case("ÜBER Größe ΣΟΦΊΑ ДОМ Ａ 𐐀"), "über größe σοφία дом ａ 𐐨");
  EXPECT_EQ(fold_case("漢字 😀"), "漢字 😀");
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const std::string text = fold_case(to_valid_utf8(bytes));
    RC_ASSERT(is_valid_utf8(text));
    RC_ASSERT(fold_case(text) == text);
  }));
}

TEST(Utf8, Blank) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\n\xc2\xa0\xe2\x80\xa8"));
  EXPECT_FALSE(is_blank(" a "));
}

TEST(Json, StringsKeepLineSeparatorsOffTheWire) {
  std::string out;
  append_json_string(out, "a\n\r\t\"\\\x01\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\xc3\xa4\xe2\x82\xac");
  EXPECT_EQ(out, "\"a\\n\\r\\t\\\"\\\\\\u0001\\u0085\\u2028\\u2029\xc3\xa4\xe2\x82\xac\"");
}

TEST(Json, AnyStringReadsBack) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const std::string text = to_valid_utf8(bytes);
    std::string out;
    append_json_string(out, text);
    const auto value = parse_json(out);
    RC_ASSERT(value.has_value());
    RC_ASSERT(std::string(value->as_string()) == text);
  }));
}

TEST(Json, RefusesWhatOutsidersTry) {
  for (const std::string& text :
       {std::string(""), std::string("{"), std::string("nul"), std::string("{\"a\":1,\"a\":2}"),
        std::string("{\"x\":{\"a\":1,\"a\":2}}"), std::string("\"\\ud800\""), std::string("\"\xff\""),
        std::string("{} {}"), std::string("[1e400]"), std::string(100'000, '['), std::string("{\"a\":1}\0", 8)}) {
    const auto value = parse_json(text);
    ASSERT_FALSE(value.has_value()) << text.substr(0, 40);
    EXPECT_EQ(value.error().code, ErrorCode::kMalformed);
  }
  EXPECT_TRUE(parse_json("{\"a\":{\"b\":1},\"b\":1}").has_value());
}

TEST(Json, WriterPutsCommas) {
  std::string out;
  JsonWriter w(out);
  w.begin_object().key("a").number(-1).key("b").begin_array().string("x").null().boolean(true).end_array();
  w.key("c").begin_object().end_object().key("d").raw("{}").end_object();
  EXPECT_EQ(out, R"({"a":-1,"b":["x",null,true],"c":{},"d":{}})");
  EXPECT_EQ(to_json(*parse_json(out)), out);
}

TEST(Json, NumbersInTheirShortestSpelling) {
  EXPECT_EQ(to_json(*parse_json("[87.5,-0.1,18446744073709551615,1e20,3]")),
            "[87.5,-0.1,18446744073709551615,1e+20,3]");
}

TEST(Json, DoublesReadBackToTheLastDigit) {
  EXPECT_TRUE(rc::check([](double value) {
    RC_PRE(std::isfinite(value));
    std::string text;
    JsonWriter(text).begin_array().number(value).number(7).number(value).end_array();
    RC_ASSERT(to_json(*parse_json(text)) == text);
  }));
  const std::string odd = to_json(*parse_json("{\"a\":[1844674479769313486274479769],\"b\":0.1}"));
  EXPECT_EQ(to_json(*parse_json(odd)), odd);
}

TEST(Clock, Iso8601) {
  EXPECT_EQ(to_iso8601({1'771'102'980'123}), "2026-02-14T21:03:00.123Z");
  EXPECT_EQ(to_iso8601({0}), "1970-01-01T00:00:00.000Z");
}

TEST(Limits, EveryRowSetsItsOwnField) {
  Limits limits;
  std::set<std::string> names;
  for (const auto& row : limits_table(limits)) {
    EXPECT_TRUE(names.insert(row.name).second);
    Limits changed;
    row.set(changed, 12345);
    for (const auto& after : limits_table(changed)) {
      if (after.name == row.name) EXPECT_EQ(after.value, 12345u);
    }
  }
}

TEST(FakeLoop, TimersInOrderAndCancelled) {
  testing::FakeClock clock;
  testing::FakeLoop loop(clock);
  std::string seen;
  auto a = loop.after(std::chrono::milliseconds(20), [&] { seen += 'a'; });
  auto b = loop.after(std::chrono::milliseconds(10), [&] { seen += 'b'; });
  auto c = loop.after(std::chrono::milliseconds(15), [&] { seen += 'c'; });
  c.reset();
  loop.post([&] { seen += 'p'; });
  loop.advance(std::chrono::milliseconds(30));
  EXPECT_EQ(seen, "pba");
}

TEST(ReleaseMemory, IsWhatAnAssignmentIsNot) {
  std::string text(100'000, 'x');
  text = std::string();
  EXPECT_GE(text.capacity(), 100'000u) << "an assignment does it now: release_memory() can go";
  release_memory(text);
  EXPECT_LT(text.capacity(), 100u);
}

}  // namespace
}  // namespace braidlog
