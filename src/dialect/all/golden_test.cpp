#include <rapidcheck.h>

#include <map>

#include "dialect/all/routes.h"
#include "dialect/chat/routes.h"
#include "dialect/contracts.h"
#include "dialect/conversation/routes.h"
#include "dialect/runs/routes.h"
#include "dialect/steps/routes.h"
#include "dialect/tasks/routes.h"
#include "dialect/testing/golden.h"
#include "dialect/testing/position_checks.h"
#include "dialect/testing/random_log.h"

namespace braidlog::all {
namespace {

const auto kFolder = testing::golden_folder("all");
const ConversationDialect kConversation;
const RunsDialect kRuns;

// Given in another order than they are shown in. Two contracts are enough for the rules; their own frames have their
// own golden files.
AllDialect two_contracts() {
  const Dialect* const dialects[] = {&kConversation, &kRuns};
  return AllDialect(dialects);
}

class AllGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(AllGolden, FramesAreAsRecorded) {
  testing::check_golden(two_contracts(), kFolder, GetParam());
}

TEST_P(AllGolden, EveryPlaceCanBeResumedFrom) {
  testing::check_positions(two_contracts(), testing::golden_events(kFolder, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, AllGolden, ::testing::ValuesIn(testing::golden_names(kFolder)),
                         [](const auto& info) { return info.param; });

// Taken apart by contract, the stream is the stream of each contract, byte for byte; and within an event the contracts
// come in their order.
TEST(AllFrames, HoldEachContractsWholeStream) {
  const ChatDialect chat;
  const StepsDialect steps;
  const TasksDialect tasks;
  const Dialect* const dialects[] = {&kConversation, &chat, &tasks, &kRuns, &steps};
  const AllDialect all(dialects);
  for (const auto contract : kContracts) {
    const auto folder = testing::golden_folder(contract);
    for (const auto& name : testing::golden_names(folder)) {
      const auto events = testing::golden_events(folder, name);
      const auto projection = all.make_projection(testing::kGoldenRun);
      const Frames frames = testing::project_all(*projection, events);
      std::map<std::string, std::string> streams;
      std::pair<Sequence, std::ptrdiff_t> last;
      const auto each = testing::split(frames);
      for (std::size_t i = 0; i < each.size(); ++i) {
        const auto data = parse_json(each[i].substr(each[i].find("data: ") + 6));
        ASSERT_TRUE(data) << each[i];
        const std::string from(data->at("contract").as_string());
        streams[from] += data->at("frame").as_string();
        const std::pair place{frames.marks[i].position.sequence,
                              std::ranges::find(kContracts, from) - kContracts.begin()};
        EXPECT_LE(last, place) << each[i];
        last = place;
      }
      for (const Dialect* dialect : dialects) {
        const auto own = dialect->make_projection(testing::kGoldenRun);
        EXPECT_EQ(streams[std::string(dialect->name())], testing::project_all(*own, events).bytes) << name;
      }
    }
  }
}

TEST(AllFrames, EveryPlaceOfAnyLogCanBeResumedFrom) {
  EXPECT_TRUE(rc::check([] {
    testing::check_positions(two_contracts(), testing::random_log());
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

TEST(AllDialectTest, HasNoRoutesAndNoPaths) {
  const AllDialect dialect = two_contracts();
  EXPECT_EQ(dialect.name(), "all");
  EXPECT_EQ(dialect.part_mark(), 'a');
  EXPECT_TRUE(dialect.routes().empty());
  EXPECT_FALSE(dialect.owns_path("/"));
  EXPECT_EQ(dialect.error({ErrorCode::kGone, "", ""}, {}).status, 410);
}

// What is no contract has no frames.
TEST(AllDialectTest, TakesOnlyContracts) {
  const AllDialect inner = two_contracts();
  const Dialect* const dialects[] = {&inner, &kRuns};
  const auto projection = AllDialect(dialects).make_projection(testing::kGoldenRun);
  Frames frames;
  projection->project({{1}, {0}, 0, TextDelta{1, 1, "a"}}, frames);
  EXPECT_EQ(frames.marks.size(), 1u);
}

}  // namespace
}  // namespace braidlog::all
