// A tool from outside may become another one after somebody approved it.
#include <gtest/gtest.h>

#include "engine/effects.h"
#include "engine/testing/machine_fixture.h"

namespace braidlog {
namespace {

using testing::check_log;
using testing::FakeTool;

class ToolVersionsTest : public testing::MachineTest {
 protected:
  ToolVersionsTest() { become("one"); }
  void become(const std::string& version) {
    ToolSpec spec{"change", "", "{}", true, false, {}};
    spec.version = version;
    fake_.writes = std::make_shared<FakeTool>(spec);
  }
  Run asking() {
    Run run = thinking();
    run.feed(ModelToolCall{0, "p", "change"});
    run.feed(ModelDone{{FinishReason::kToolCalls, "", "", {}, {}}});
    return run;
  }
  static RunOrder approval_of(const Run& run, bool apply_to_future) {
    RunOrder order;
    order.kind = RunOrder::Kind::kDecide;
    order.approval_id = *run.call(0).approval;
    order.apply_to_future = apply_to_future;
    return order;
  }
};

TEST_F(ToolVersionsTest, AnApprovalForTheFutureIsForTheToolAsItWas) {
  Run run = asking();
  run.feed(DecisionMade{approval_of(run, true)});
  EXPECT_TRUE(run.commanded<StartTool>());
  const auto effects = effects_of(RunId{}, run.state(), run.last.events);
  ASSERT_EQ(effects.tools_approved, std::vector<std::string>{"change@one"});

  policy_.approved_tools = effects.tools_approved;
  EXPECT_EQ(asking().call(0).phase, CallPhase::kRunning) << "the same tool is not asked about again";
  become("two");
  EXPECT_EQ(asking().call(0).phase, CallPhase::kWaiting);
}

TEST_F(ToolVersionsTest, AToolThatChangedWhileTheRunWaitedIsAskedAboutAgain) {
  Run run = asking();
  const ApprovalId first = *run.call(0).approval;
  become("two");
  restart(run);
  run.feed(DecisionMade{approval_of(run, false)});
  EXPECT_EQ(run.call(0).phase, CallPhase::kWaiting);
  EXPECT_NE(*run.call(0).approval, first);
  EXPECT_EQ(fake_.writes->starts, 0);
  run.feed(DecisionMade{approval_of(run, false)});
  EXPECT_TRUE(run.commanded<StartTool>());
  EXPECT_EQ(run.count<ToolStarted>(), 1u);
}

TEST_F(ToolVersionsTest, AnApprovalForTheFutureOfAToolThatIsGoneIsForNoTool) {
  Run run = asking();
  become("two");
  restart(run);
  run.feed(DecisionMade{approval_of(run, true)});
  ASSERT_EQ(run.call(0).phase, CallPhase::kWaiting);
  EXPECT_TRUE(effects_of(RunId{}, run.state(), run.last.events).tools_approved.empty());
}

TEST_F(ToolVersionsTest, TheServersOwnToolsHaveNoVersion) {
  EXPECT_EQ(approved_name("file_write", ""), "file_write");
}

}  // namespace
}  // namespace braidlog
