#include "dialect/testing/golden.h"
#include "dialect/runs/routes.h"
#include "dialect/testing/position_checks.h"

namespace braidlog::runs {
namespace {

const auto kFolder = testing::golden_folder("runs");

class RunsGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(RunsGolden, FramesAreAsRecorded) {
  testing::check_golden(RunsDialect(), kFolder, GetParam());
}

TEST_P(RunsGolden, EveryPlaceCanBeResumedFrom) {
  testing::check_positions(RunsDialect(), testing::golden_events(kFolder, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, RunsGolden, ::testing::ValuesIn(testing::golden_names(kFolder)),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace braidlog::runs
