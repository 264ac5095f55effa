#include <rapidcheck.h>

#include "dialect/conversation/routes.h"
#include "dialect/testing/golden.h"
#include "dialect/testing/position_checks.h"
#include "dialect/testing/random_log.h"

namespace braidlog::conversation {
namespace {

const auto kFolder = testing::golden_folder("conversation");

class ConversationGolden : public ::testing::TestWithParam<std::string> {
 protected:
  const ConversationDialect dialect;
  const std::vector<RunEvent> events = testing::golden_events(kFolder, GetParam());
};

TEST_P(ConversationGolden, FramesAreAsRecorded) {
  testing::check_golden(dialect, kFolder, GetParam());
}

TEST_P(ConversationGolden, EveryPlaceCanBeResumedFrom) {
  testing::check_positions(dialect, events);
}

// start → (token | tool_start → tool_end | tool_error | warning)* → conversation → done, or error instead of the last
// two. Every tool_start has its end, and no tool_end comes without one.
TEST_P(ConversationGolden, TheOrderIsTheContracts) {
  const auto projection = dialect.make_projection(testing::kGoldenRun);
  const Frames frames = testing::project_all(*projection, events);
  std::vector<std::string> types, open_calls;
  for (const auto frame : testing::split(frames)) {
    EXPECT_TRUE(frame.starts_with("id: evt_")) << "no event: line";
    const auto data = parse_json(frame.substr(frame.find("data: ") + 6));
    ASSERT_TRUE(data);
    const std::string type(data->at("type").as_string());
    if (type.starts_with("tool_")) {
      const std::string call(data->at("tool_call_id").as_string());
      if (type == "tool_start") {
        EXPECT_EQ(std::ranges::count(open_calls, call), 0);
        open_calls.push_back(call);
      } else {
        EXPECT_EQ(std::erase(open_calls, call), 1u) << frame;
      }
    }
    types.push_back(type);
  }
  ASSERT_GE(types.size(), 2u);
  EXPECT_EQ(types.front(), "start");
  EXPECT_TRUE(open_calls.empty());
  EXPECT_EQ(std::ranges::count(types, "start"), 1);
  const bool is_fatal = types.back() == "error";
  EXPECT_EQ(std::ranges::count(types, "error"), is_fatal ? 1 : 0);
  EXPECT_EQ(std::ranges::count(types, "conversation"), is_fatal ? 0 : 1);
  EXPECT_EQ(std::ranges::count(types, "done"), is_fatal ? 0 : 1);
  if (!is_fatal) {
    EXPECT_EQ(types.back(), "done");
    EXPECT_EQ(types[types.size() - 2], "conversation");
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConversationGolden, ::testing::ValuesIn(testing::golden_names(kFolder)),
                         [](const auto& info) { return info.param; });

TEST(ConversationFrames, EveryPlaceOfAnyLogCanBeResumedFrom) {
  EXPECT_TRUE(rc::check([] {
    testing::check_positions(ConversationDialect(), testing::random_log());
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

}  // namespace
}  // namespace braidlog::conversation
