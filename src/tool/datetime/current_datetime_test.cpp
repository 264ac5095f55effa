#include "tool/datetime/current_datetime.h"

#include <gtest/gtest.h>

#include "tool/testing/tool_caller.h"

namespace braidlog::tool {
namespace {

TEST(CurrentDatetimeTool, TellsTheLoopsTime) {
  CurrentDatetime tool;
  testing::ToolCaller caller;
  const auto outcome = caller.call(tool, "{}");
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.text, "2026-02-14T21:03:00Z, Saturday");
  EXPECT_EQ(to_json(outcome.value),
            R"({"datetime":"2026-02-14T21:03:00Z","weekday":"Saturday","utc":"2026-02-14T21:03:00Z"})");
  EXPECT_FALSE(tool.spec().writes);
}

TEST(CurrentDatetimeTool, AnOffsetMayChangeTheDay) {
  CurrentDatetime tool;
  testing::ToolCaller caller;
  EXPECT_EQ(caller.call(tool, R"({"timezone":"+05:30"})").text,
            "2026-02-15T02:33:00+05:30, Sunday (2026-02-14T21:03:00Z)");
  EXPECT_EQ(caller.call(tool, R"({"timezone":"-08:00"})").text,
            "2026-02-14T13:03:00-08:00, Saturday (2026-02-14T21:03:00Z)");
  EXPECT_EQ(caller.call(tool, R"({"timezone":"UTC"})").text, "2026-02-14T21:03:00Z, Saturday");
}

TEST(CurrentDatetimeTool, RefusesOtherTimezones) {
  CurrentDatetime tool;
  testing::ToolCaller caller;
  const auto outcome = caller.call(tool, R"({"timezone":"Europe"})");
  EXPECT_EQ(outcome.status, ToolStatus::kInvalidArguments);
  EXPECT_EQ(outcome.text, "timezone: expected an offset such as +02:00 or UTC");
  EXPECT_FALSE(tool.check(parse_json(R"({"timezone":"Europe/Berlin"})").value()));
}

TEST(CurrentDatetimeTool, Offsets) {
  EXPECT_EQ(parse_utc_offset("+02:00"), 120);
  EXPECT_EQ(parse_utc_offset("-11:30"), -690);
  EXPECT_EQ(parse_utc_offset("+14:00"), 840);
  for (const char* text : {"", "+2", "+14:01", "+99:00", "+02:60", "02:000", "+0a:00", "+02-00"}) {
    EXPECT_FALSE(parse_utc_offset(text)) << text;
  }
}

}  // namespace
}  // namespace braidlog::tool
