#include <rapidcheck.h>

#include "dialect/steps/routes.h"
#include "dialect/testing/golden.h"
#include "dialect/testing/position_checks.h"
#include "dialect/testing/random_log.h"

namespace braidlog::steps {
namespace {

const auto kFolder = testing::golden_folder("steps");

class StepsGolden : public ::testing::TestWithParam<std::string> {
 protected:
  const StepsDialect dialect;
  const std::vector<RunEvent> events = testing::golden_events(kFolder, GetParam());
};

TEST_P(StepsGolden, FramesAreAsRecorded) {
  testing::check_golden(dialect, kFolder, GetParam());
}

TEST_P(StepsGolden, EveryPlaceCanBeResumedFrom) {
  testing::check_positions(dialect, events);
}

// message → step* → final → done, or error → done; one counter over steps and final.
TEST_P(StepsGolden, TheOrderIsTheContracts) {
  const auto projection = dialect.make_projection(testing::kGoldenRun);
  const Frames frames = testing::project_all(*projection, events);
  std::vector<std::string> types;
  std::int64_t number = 0;
  for (const auto frame : testing::split(frames)) {
    EXPECT_TRUE(frame.starts_with("id: evt_")) << "no event: line";
    const auto data = parse_json(frame.substr(frame.find("data: ") + 6));
    ASSERT_TRUE(data);
    types.emplace_back(data->at("type").as_string());
    if (data->get_object().contains("step_number")) EXPECT_EQ(data->at("step_number").as_int64(), ++number) << frame;
  }
  ASSERT_GE(types.size(), 3u);
  EXPECT_EQ(types.front(), "message");
  EXPECT_EQ(types.back(), "done");
  const std::string& end = types[types.size() - 2];
  EXPECT_TRUE(end == "final" || end == "error") << end;
  for (std::size_t i = 1; i + 2 < types.size(); ++i) EXPECT_EQ(types[i], "step");
}

INSTANTIATE_TEST_SUITE_P(All, StepsGolden, ::testing::ValuesIn(testing::golden_names(kFolder)),
                         [](const auto& info) { return info.param; });

TEST(StepsFrames, EveryPlaceOfAnyLogCanBeResumedFrom) {
  EXPECT_TRUE(rc::check([] {
    testing::check_positions(StepsDialect(), testing::random_log());
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

}  // namespace
}  // namespace braidlog::steps
