#include "engine/run_machine.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "engine/testing/machine_fixture.h"

namespace braidlog {
namespace {

using testing::check_log;
using testing::MachineTest;

TEST_F(MachineTest, EveryPairOfPhaseAndInput) {
  const std::vector<RunInput> inputs = {Begin{},
                                        Resume{},
                                        ModelText{"x"},
                                        ModelReasoning{"x"},
                                        ModelToolCall{0, "p", "look"},
                                        ModelToolArgs{0, "{}"},
                                        ModelDone{{}},
                                        ModelBroke{{ErrorCode::kProvider, "broke", {}}},
                                        ToolDone{{}, ToolOutcome::ok("r")},
                                        DecisionMade{{}},
                                        ApprovalExpired{{}},
                                        InterruptOrdered{{}},
                                        GraceOver{},
                                        TimeUp{},
                                        CodeCalled{"look", {}},
                                        CodeEnded{{}},
                                        FileRead{0, ExtractedText{"x", "", {}}}};
  ASSERT_EQ(inputs.size(), std::variant_size_v<RunInput>);
  // One column per input above; x: the machine answers, o: it listens but this very input says nothing new.
  const std::map<RunPhase, std::string> expected = {
      {RunPhase::kQueued, "xx.........x.x..o"}, {RunPhase::kThinking, ".xxxxoxx...x.x..."},
      {RunPhase::kActing, ".x......ooox.xoo."}, {RunPhase::kInterrupting, ".x......o...xx..."},
      {RunPhase::kOver, "................."},
  };
  for (const auto& [phase, row] : expected) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      SCOPED_TRACE("phase " + std::to_string(static_cast<int>(phase)) + " input " + std::to_string(i));
      Run run = in_phase(phase);
      ASSERT_EQ(run.phase(), phase);
      EXPECT_EQ(RunMachine::expects(phase, i), row[i] != '.');
      const RunState before = run.state();
      run.feed(inputs[i]);
      EXPECT_EQ(!run.last.events.empty(), row[i] == 'x');
      if (row[i] != 'x') EXPECT_EQ(run.state(), before);
      check_log(run.log, run.state());
    }
  }
}

TEST_F(MachineTest, AnswersAndCompletes) {
  Run run = thinking();
  EXPECT_TRUE(run.commanded<CallModel>());
  run.feed(ModelReasoning{"hm"});
  run.feed(ModelText{"Hel"});
  run.feed(ModelText{""});
  run.feed(ModelText{"lo"});
  run.feed(ModelDone{{FinishReason::kStop, "stop", "id", Usage{3, 2, 0, 0, 0}, {}}});
  ASSERT_EQ(run.phase(), RunPhase::kOver);
  const auto& done = std::get<RunCompleted>(run.log.back().body);
  EXPECT_EQ(done.final_text, "Hello");
  EXPECT_EQ(done.message_text, "Hello");
  EXPECT_EQ(done.usage, (Usage{3, 2, 0, 0, 0}));
  EXPECT_EQ(run.count<TextDelta>(), 2u);
  check_log(run.log, run.state());
}

TEST_F(MachineTest, TextsOfTwoTurnsStandApart) {
  Run run = thinking();
  run.feed(ModelText{"First"});
  run.feed(ModelToolCall{0, "p", "look"});
  run.feed(ModelDone{{FinishReason::kToolCalls, "", "", {}, {}}});
  run.feed(ToolDone{run.call(0).id, ToolOutcome::ok("r")});
  run.feed(ModelText{"Second"});
  run.feed(ModelDone{{}});
  const auto& done = std::get<RunCompleted>(run.log.back().body);
  EXPECT_EQ(done.message_text, "First\n\nSecond");
  EXPECT_EQ(done.final_text, "Second");
  EXPECT_FALSE(done.usage.has_value());
}

TEST_F(MachineTest, ReadingToolRunsWithoutAsking) {
  Run run = acting({"look"});
  EXPECT_EQ(run.call(0).phase, CallPhase::kRunning);
  EXPECT_EQ(run.count<InputRequested>(), 0u);
  run.feed(ToolDone{run.call(0).id, ToolOutcome::ok("found")});
  EXPECT_EQ(run.phase(), RunPhase::kThinking);
  EXPECT_EQ(run.count<StepFinished>(), 1u);
}

TEST_F(MachineTest, WritingToolWaitsForApproval) {
  Run run = acting({"change"});
  EXPECT_EQ(run.call(0).phase, CallPhase::kWaiting);
  EXPECT_EQ(run.state().status(), RunStatus::kWaitingApproval);
  EXPECT_EQ(run.call(0).expires_ms, 1000 + limits_.approval_timeout.count());
  run.feed(DecisionMade{decide(run.call(0), Verdict::kApproved)});
  EXPECT_TRUE(run.commanded<StartTool>());
  // The second decision finds nothing to decide.
  EXPECT_TRUE(run.feed(DecisionMade{decide(run.call(0), Verdict::kRejected)}).events.empty());
  check_log(run.log, run.state());
}

TEST_F(MachineTest, RejectionIsToldToTheModel) {
  Run run = acting({"change"});
  run.feed(DecisionMade{decide(run.call(0), Verdict::kRejected)});
  EXPECT_EQ(run.call(0).phase, CallPhase::kRefused);
  EXPECT_EQ(run.count<ToolStarted>() + run.count<ToolFinished>(), 0u);
  EXPECT_EQ(run.phase(), RunPhase::kThinking);
  EXPECT_NE(run.call(0).result_text.find("rejected"), std::string::npos);
}

TEST_F(MachineTest, RejectionEndsTheRunWhereTheAgentSaysSo) {
  fake_.agent.approval.on_reject = api::OnReject::kEnd;
  Run run = acting({"change"});
  run.feed(DecisionMade{decide(run.call(0), Verdict::kRejected)});
  EXPECT_EQ(run.state().status(), RunStatus::kInterrupted);
}

TEST_F(MachineTest, ApprovalExpires) {
  Run run = acting({"change"});
  run.feed(ApprovalExpired{*run.call(0).approval});
  EXPECT_EQ(std::get<InputGiven>(run.last.events.front().body).reason, "timeout");
}

TEST_F(MachineTest, SeveralApprovalsInAnyOrderAndWritersOneAfterTheOther) {
  Run run = acting({"change", "change", "look"});
  run.feed(DecisionMade{decide(run.call(1), Verdict::kApproved)});
  EXPECT_EQ(run.call(1).phase, CallPhase::kRunning);
  EXPECT_EQ(run.call(2).phase, CallPhase::kRunning);
  run.feed(DecisionMade{decide(run.call(0), Verdict::kApproved)});
  EXPECT_EQ(run.call(0).phase, CallPhase::kPermitted) << "two writers at once";
  run.feed(ToolDone{run.call(1).id, ToolOutcome::ok("1")});
  EXPECT_EQ(run.call(0).phase, CallPhase::kRunning);
  run.feed(ToolDone{run.call(2).id, ToolOutcome::ok("2")});
  EXPECT_EQ(run.phase(), RunPhase::kActing);
  run.feed(ToolDone{run.call(0).id, ToolOutcome::ok("0")});
  EXPECT_EQ(run.phase(), RunPhase::kThinking);
}

TEST_F(MachineTest, DenyIsQuestionAndRefusalAtOnce) {
  fake_.agent.approval.tools["change"] = api::Policy::kDeny;
  Run run = acting({"change"});
  EXPECT_EQ(run.count<InputRequested>(), 1u);
  EXPECT_EQ(run.call(0).phase, CallPhase::kRefused);
  EXPECT_FALSE(run.commanded<WatchExpiry>());
}

TEST_F(MachineTest, AutoApproveAndApplyToFuture) {
  policy_.auto_approve = true;
  EXPECT_EQ(acting({"change"}).call(0).phase, CallPhase::kRunning);
  policy_.auto_approve = false;
  Run run = acting({"change"});
  auto order = decide(run.call(0), Verdict::kApproved);
  order.apply_to_future = true;
  run.feed(DecisionMade{order});
  run.feed(ToolDone{run.call(0).id, ToolOutcome::ok("r")});
  run.feed(ModelToolCall{0, "q", "change"});
  run.feed(ModelDone{{FinishReason::kToolCalls, "", "", {}, {}}});
  EXPECT_EQ(run.call(1).phase, CallPhase::kRunning);
}

TEST_F(MachineTest, AutoApproveDoesNotOverruleDeny) {
  policy_.auto_approve = true;
  fake_.agent.approval.fallback = api::Policy::kDeny;
  EXPECT_EQ(acting({"change"}).call(0).phase, CallPhase::kRefused);
}

TEST_F(MachineTest, BadCallsAreAnsweredNotRun) {
  Run run = thinking();
  run.feed(ModelToolCall{0, "a", "nothing_like_it"});
  run.feed(ModelToolCall{1, "b", "look"});
  run.feed(ModelToolArgs{1, "{\"cut"});
  run.feed(ModelToolCall{2, "c", "look"});
  run.feed(ModelToolArgs{2, "{\"bad\":1}"});
  run.feed(ModelToolCall{3, "d", "look"});
  run.feed(ModelToolArgs{3, "[1]"});
  run.feed(ModelDone{{FinishReason::kToolCalls, "", "", {}, {}}});
  EXPECT_EQ(run.count<ToolStarted>(), 0u);
  EXPECT_EQ(run.count<ToolFinished>(), 4u);
  EXPECT_EQ(run.phase(), RunPhase::kThinking) << "the model gets to hear of it";
}

TEST_F(MachineTest, AnswerCutInsideACallIsNeverRun) {
  Run run = thinking();
  run.feed(ModelToolCall{0, "a", "look"});
  run.feed(ModelToolArgs{0, "{}"});
  run.feed(ModelDone{{FinishReason::kLength, "length", "", {}, {}}});
  EXPECT_EQ(run.count<ToolStarted>(), 0u);
  EXPECT_EQ(run.state().failure, FailureCode::kUpstreamTruncated);
}

TEST_F(MachineTest, BrokenModelKeepsTheText) {
  Run run = thinking();
  run.feed(ModelText{"so far"});
  run.feed(ModelToolCall{0, "a", "look"});
  run.feed(ModelBroke{{ErrorCode::kUpstreamTruncated, "cut", {}}});
  EXPECT_EQ(run.state().status(), RunStatus::kFailed);
  EXPECT_EQ(run.state().text, "so far");
  EXPECT_EQ(run.call(0).phase, CallPhase::kAbandoned);
  check_log(run.log, run.state());
}

TEST_F(MachineTest, InterruptClosesWhatIsOpen) {
  Run run = thinking();
  run.feed(ModelText{"half"});
  run.feed(InterruptOrdered{{.user_id = "u", .reason = "user"}});
  EXPECT_TRUE(run.commanded<CancelModel>());
  EXPECT_EQ(run.state().status(), RunStatus::kInterrupted);

  Run waiting = acting({"change", "change"});
  waiting.feed(InterruptOrdered{{.reason = "user"}});
  EXPECT_EQ(waiting.state().status(), RunStatus::kInterrupted);
  EXPECT_EQ(waiting.count<InputGiven>(), 2u);
  check_log(waiting.log, waiting.state());
}

TEST_F(MachineTest, InterruptWaitsForToolsInFlightThenGivesUp) {
  Run run = acting({"look"});
  run.feed(InterruptOrdered{{.reason = "user"}});
  EXPECT_EQ(run.state().status(), RunStatus::kInterrupting);
  EXPECT_TRUE(run.commanded<StartGrace>());
  Run same = acting({"look"});
  same.feed(InterruptOrdered{{.reason = "user"}});
  same.feed(ToolDone{same.call(0).id, ToolOutcome::ok("in time")});
  EXPECT_EQ(same.state().status(), RunStatus::kInterrupted);
  run.feed(GraceOver{});
  EXPECT_EQ(run.call(0).status, ToolStatus::kOutcomeUnknown);
  EXPECT_EQ(run.state().status(), RunStatus::kInterrupted);
}

TEST_F(MachineTest, LimitsEndTheRunHonestly) {
  limits_.output_bytes_max = 10;
  Run run = thinking();
  run.feed(ModelText{"0123456789x"});
  EXPECT_EQ(run.state().failure, FailureCode::kLimitExceeded);
  EXPECT_TRUE(run.commanded<CancelModel>());
  limits_ = {};
  limits_.tool_calls_max = 1;
  Run calls = thinking();
  calls.feed(ModelToolCall{0, "a", "look"});
  calls.feed(ModelToolCall{1, "b", "look"});
  EXPECT_EQ(calls.state().failure, FailureCode::kLimitExceeded);
  check_log(calls.log, calls.state());
  limits_ = {};
  fake_.agent.max_steps = 1;
  Run steps = acting({"look"});
  steps.feed(ToolDone{steps.call(0).id, ToolOutcome::ok("r")});
  EXPECT_EQ(steps.state().failure, FailureCode::kMaxSteps);
}

// Whatever comes in whatever order: the log stays legal, and a run that ended says nothing more.
TEST_F(MachineTest, AnyOrderOfInputsKeepsTheLogLegal) {
  limits_.tool_calls_max = 12;
  limits_.output_bytes_max = 100;
  int said_on = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    fake_.agent.approval.fallback = static_cast<api::Policy>(pick(3));
    Run run = make();
    for (int i = 0; i < 60; ++i) {
      const auto& calls = run.state().calls;
      const ToolCallState any = calls.empty() ? ToolCallState{} : calls[pick(static_cast<unsigned>(calls.size()))];
      switch (pick(14)) {
        case 0: run.feed(Begin{}); break;
        case 1:
          if (pick(4) == 0) run.feed(Resume{});
          break;
        case 2: {
          RunMachine other = *run.machine;
          RunEvent more;
          const bool is_said = other.say_on("word ", {{1000}, run.state().elapsed_ms + 1}, more);
          run.feed(ModelText{"word "});
          if (!is_said) break;
          ++said_on;
          ASSERT_EQ(std::vector{more}, run.last.events) << "the short way says what the machine decides";
          ASSERT_TRUE(run.last.commands.empty());
          ASSERT_EQ(other.state(), run.state());
          break;
        }
        case 3: run.feed(ModelReasoning{"hm "}); break;
        case 4: run.feed(ModelToolCall{pick(3), "p", pick(2) ? "look" : "change"}); break;
        case 5: run.feed(ModelToolArgs{pick(3), pick(5) ? "{}" : "{"}); break;
        case 6: run.feed(ModelDone{{pick(9) ? FinishReason::kStop : FinishReason::kLength, "", "", {}, {}}}); break;
        case 7:
          if (pick(9) == 0) run.feed(ModelBroke{{ErrorCode::kProvider, "broke", {}}});
          break;
        case 8: run.feed(ToolDone{any.id, ToolOutcome::ok("r")}); break;
        case 9: run.feed(DecisionMade{decide(any, pick(2) ? Verdict::kApproved : Verdict::kRejected)}); break;
        case 10:
          if (any.approval) run.feed(ApprovalExpired{*any.approval});
          break;
        case 11:
          if (pick(9) == 0) run.feed(InterruptOrdered{{.reason = "user"}});
          break;
        case 12: run.feed(GraceOver{}); break;
        case 13:
          if (pick(20) == 0) run.feed(TimeUp{});
          break;
      }
    }
    check_log(run.log, run.state());
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(said_on, 300);
}

TEST_F(MachineTest, AModelThatRefusesToolsIsAskedWithoutThem) {
  Run run = thinking();
  run.feed(ModelBroke{{ErrorCode::kToolsRefused, "no tools", {}}});
  EXPECT_EQ(run.count<Warning>(), 1u);
  EXPECT_TRUE(run.commanded<CallModel>());
  EXPECT_TRUE(run.state().without_tools);
  run.feed(ModelBroke{{ErrorCode::kToolsRefused, "still no tools", {}}});
  EXPECT_EQ(run.state().status(), RunStatus::kFailed) << "once, not for ever";
  check_log(run.log, run.state());
}

TEST_F(MachineTest, AfterTheFirstWordThereIsNoFallingBack) {
  Run run = thinking();
  run.feed(ModelText{"I will"});
  run.feed(ModelBroke{{ErrorCode::kToolsRefused, "no tools", {}}});
  EXPECT_EQ(run.count<Warning>(), 0u);
  EXPECT_EQ(run.state().status(), RunStatus::kFailed);
}

}  // namespace
}  // namespace braidlog
