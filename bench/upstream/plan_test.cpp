#include "upstream/plan.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Plan, IsReadFromTheModelsName) {
  const auto burst = parse_plan("burst-200");
  ASSERT_TRUE(burst);
  EXPECT_EQ(burst->tokens, 200U);
  EXPECT_EQ(burst->interval_ms, 0U);
  const auto paced = parse_plan("pace-150-20");
  ASSERT_TRUE(paced);
  EXPECT_EQ(paced->tokens, 150U);
  EXPECT_EQ(paced->interval_ms, 20U);
}

TEST(Plan, RefusesOtherNames) {
  for (const char* name : {"", "gpt-4o", "burst-", "burst-2x", "pace-200", "pace-200-0"}) {
    EXPECT_FALSE(parse_plan(name)) << name;
  }
}

TEST(Plan, TheModelIsFoundInABody) {
  EXPECT_EQ(model_of(R"({"stream":true,"model": "burst-7","messages":[]})"), "burst-7");
  EXPECT_EQ(model_of("{}"), "");
}

}  // namespace
}  // namespace bench
