#include "terminal/figures.h"

#include <gtest/gtest.h>

namespace braidlog::terminal {
namespace {

TEST(Figures, Ages) {
  EXPECT_EQ(age_text(-5), "now");
  EXPECT_EQ(age_text(59'999), "59s");
  EXPECT_EQ(age_text(60'000), "1m");
  EXPECT_EQ(age_text(3'600'000 * 23), "23h");
  EXPECT_EQ(age_text(86'400'000LL * 400), "400d");
}

TEST(Figures, DurationsAndCounts) {
  EXPECT_EQ(duration_text(0), "0 ms");
  EXPECT_EQ(duration_text(1450), "1.4 s");
  EXPECT_EQ(duration_text(125'000), "2 m 5 s");
  EXPECT_EQ(duration_text(12'000'000), "3 h 20 m");
  EXPECT_EQ(count_text(9999), "9999");
  EXPECT_EQ(count_text(12'345), "12.3k");
  EXPECT_EQ(count_text(4'100'000), "4.1M");
}

TEST(Figures, Times) {
  EXPECT_EQ(parse_time("2026-02-14T21:03:00Z"), WallTime{1'771'102'980'000});
  EXPECT_EQ(parse_time("2026-02-14T21:03:00.123Z"), WallTime{1'771'102'980'123});
  EXPECT_EQ(parse_time(to_iso8601(WallTime{1'771'102'980'007})), WallTime{1'771'102'980'007});
  EXPECT_EQ(parse_time(""), std::nullopt);
  EXPECT_EQ(parse_time("2026-13-14T21:03:00Z"), std::nullopt);
}

TEST(Figures, FieldsOfAnotherTypeAreNotThere) {
  const auto value = parse_json(R"({"text":7,"number":"x","flag":1,"object":[],"array":{},"half":1.5,"good":-3})");
  const auto& object = value->get_object();
  EXPECT_EQ(text_of(object, "text"), "");
  EXPECT_EQ(number_of(object, "number"), std::nullopt);
  EXPECT_EQ(number_of(object, "half"), std::nullopt);
  EXPECT_EQ(number_of(object, "good"), -3);
  EXPECT_FALSE(flag_of(object, "flag"));
  EXPECT_EQ(object_of(object, "object"), nullptr);
  EXPECT_EQ(array_of(object, "array"), nullptr);
  EXPECT_EQ(tokens_of(nullptr), std::nullopt);
  EXPECT_EQ(tokens_of(&object), std::nullopt);
}

}  // namespace
}  // namespace braidlog::terminal
