// What a restart makes of a run, from its log alone.
#include <gtest/gtest.h>

#include "engine/testing/machine_fixture.h"

namespace braidlog {
namespace {

using testing::check_log;
using testing::MachineTest;

TEST_F(MachineTest, RestartWhileWaitingWaitsOn) {
  Run run = acting({"change"});
  run.feed(Resume{});
  EXPECT_EQ(run.call(0).phase, CallPhase::kWaiting);
  EXPECT_TRUE(run.commanded<WatchExpiry>());
  run.feed(DecisionMade{decide(run.call(0), Verdict::kApproved)});
  EXPECT_EQ(run.call(0).phase, CallPhase::kRunning);
}

TEST_F(MachineTest, RestartWhileAToolRan) {
  Run reading = acting({"look"});
  reading.feed(Resume{});
  EXPECT_TRUE(reading.commanded<StartTool>()) << "a tool that only reads runs again";
  policy_.auto_approve = true;
  Run writing = acting({"change"});
  writing.feed(Resume{});
  EXPECT_FALSE(writing.commanded<StartTool>());
  EXPECT_EQ(writing.call(0).status, ToolStatus::kOutcomeUnknown);
  EXPECT_TRUE(writing.commanded<CallModel>()) << "the model is told";
}

TEST_F(MachineTest, RestartWhileTheModelSpoke) {
  Run silent = thinking();
  silent.feed(ModelReasoning{"hm"});
  silent.feed(Resume{});
  EXPECT_TRUE(silent.commanded<CallModel>());
  Run arguing = thinking();
  arguing.feed(ModelToolCall{0, "a", "look"});
  arguing.feed(Resume{});
  EXPECT_EQ(arguing.call(0).phase, CallPhase::kAbandoned);
  EXPECT_TRUE(arguing.commanded<CallModel>());
  check_log(arguing.log, arguing.state());
}

TEST_F(MachineTest, RestartInMidSentenceGoesOnWithoutASeam) {
  for (const char* rest : {"jumps over the lazy dog", "quick brown fox jumps over the lazy dog"}) {
    Run run = thinking();
    run.feed(ModelText{"The quick brown fox "});
    run.feed(Resume{});
    ASSERT_TRUE(run.commanded<CallModel>());
    run.feed(ModelText{rest});
    run.feed(ModelDone{{}});
    const auto& done = std::get<RunCompleted>(run.log.back().body);
    EXPECT_EQ(done.final_text, "The quick brown fox jumps over the lazy dog");
    EXPECT_EQ(done.message_text, done.final_text);
    check_log(run.log, run.state());
  }
}

TEST_F(MachineTest, AContinuedTextMayStartWithTheSameLetter) {
  Run run = thinking();
  run.feed(ModelText{"one two three a"});
  run.feed(Resume{});
  run.feed(ModelText{"a"});
  run.feed(ModelText{std::string(300, 'b')});
  EXPECT_EQ(run.state().text, "one two three aa" + std::string(300, 'b'));
}

TEST_F(MachineTest, AModelMayThinkBeforeItRepeatsItself) {
  Run run = thinking();
  run.feed(ModelText{"one two three four"});
  run.feed(Resume{});
  run.feed(ModelReasoning{"where was I? "});
  run.feed(ModelText{"two three four five"});
  run.feed(ModelDone{{}});
  EXPECT_EQ(run.state().text, "one two three four five");
  check_log(run.log, run.state());
}

TEST_F(MachineTest, ARepetitionThatIsCutIsStillOne) {
  for (const RunInput& last : {RunInput(ModelBroke{{ErrorCode::kProvider, "broke", {}}}),
                               RunInput(InterruptOrdered{{.reason = "user"}}), RunInput(TimeUp{})}) {
    Run run = thinking();
    run.feed(ModelText{"one two three four"});
    run.feed(Resume{});
    run.feed(ModelText{"two three f"});
    run.feed(last);
    EXPECT_EQ(run.state().text, "one two three four");
    check_log(run.log, run.state());
  }
}

TEST_F(MachineTest, ARestartTakesNoStepFromTheAgent) {
  fake_.agent.max_steps = 1;
  Run run = thinking();
  run.feed(ModelText{"half of it "});
  run.feed(Resume{});
  ASSERT_TRUE(run.commanded<CallModel>());
  run.feed(ModelText{"and the rest"});
  run.feed(ModelDone{{}});
  EXPECT_EQ(run.state().final_text, "half of it and the rest");
}

TEST_F(MachineTest, TheOutputLimitIsMetInsideHeldText) {
  limits_.output_bytes_max = 20;
  for (const RunInput& last :
       {RunInput(ModelDone{{}}), RunInput(ModelToolCall{0, "p", "look"}),
        RunInput(ModelBroke{{ErrorCode::kProvider, "broke", {}}}), RunInput(InterruptOrdered{{.reason = "user"}})}) {
    Run run = thinking();
    run.feed(ModelText{"fifteen letters"});
    run.feed(Resume{});
    run.feed(ModelText{"more than is allowed"});
    run.feed(last);
    check_log(run.log, run.state());
  }
}

TEST_F(MachineTest, AToolThatWasTakenAwayWhileTheRunWaitedIsAnswered) {
  Run run = acting({"change"});
  auto without = std::make_shared<RunnableAgent>(*fake_.make());
  without->tools.pop_back();
  run.machine = std::make_unique<RunMachine>(without, limits_, policy_, ids_, run.state());
  run.feed(Resume{});
  run.feed(DecisionMade{decide(run.call(0), Verdict::kApproved)});
  EXPECT_EQ(run.count<ToolStarted>(), 0u);
  EXPECT_EQ(run.call(0).status, ToolStatus::kToolError);
  EXPECT_EQ(run.phase(), RunPhase::kThinking);
}

TEST_F(MachineTest, RestartAfterAnAcknowledgedInterrupt) {
  Run run = acting({"look"});
  run.feed(InterruptOrdered{{.reason = "user"}});
  run.feed(Resume{});
  EXPECT_EQ(run.state().status(), RunStatus::kInterrupted);
  check_log(run.log, run.state());
}

}  // namespace
}  // namespace braidlog
