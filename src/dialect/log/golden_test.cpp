#include <rapidcheck.h>

#include "dialect/log/routes.h"
#include "dialect/testing/golden.h"
#include "dialect/testing/position_checks.h"
#include "dialect/testing/random_log.h"

namespace braidlog::log {
namespace {

const auto kFolder = testing::golden_folder("log");

class LogGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(LogGolden, FramesAreAsRecorded) {
  testing::check_golden(LogDialect(), kFolder, GetParam());
}

TEST_P(LogGolden, EveryPlaceCanBeResumedFrom) {
  testing::check_positions(LogDialect(), testing::golden_events(kFolder, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, LogGolden, ::testing::ValuesIn(testing::golden_names(kFolder)),
                         [](const auto& info) { return info.param; });

// One frame per event, and the event can be made of it again: nothing is left out, cut or told twice.
TEST(LogFrames, HoldTheWholeLog) {
  EXPECT_TRUE(rc::check([] {
    const auto events = testing::random_log();
    const auto projection = LogDialect().make_projection(testing::kGoldenRun);
    const Frames frames = testing::project_all(*projection, events);
    const auto each = testing::split(frames);
    RC_ASSERT(each.size() == events.size());
    for (std::size_t i = 0; i < each.size(); ++i) {
      RC_ASSERT(each[i].starts_with("id: evt_"));
      const auto data = parse_json(each[i].substr(each[i].find("\ndata: ") + 7));
      RC_ASSERT(data.has_value());
      const auto event = event_from_json(*data);
      RC_ASSERT(event.has_value());
      RC_ASSERT(*event == events[i]);
    }
  }));
}

TEST(LogFrames, EveryPlaceOfAnyLogCanBeResumedFrom) {
  EXPECT_TRUE(rc::check([] {
    testing::check_positions(LogDialect(), testing::random_log());
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

}  // namespace
}  // namespace braidlog::log
