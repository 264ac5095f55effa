// The steps way: plans, actions by code or tools, the last turn; and code, whatever the way.
#include <gtest/gtest.h>

#include "engine/testing/machine_fixture.h"

namespace braidlog::testing {
namespace {

class StepsMachine : public MachineTest {
 protected:
  Run begin(Way way, api::Style style) {
    fake_.agent.style = style;
    return MachineTest::begin(way);
  }
  static void end_code(Run& run, CodeOutcome outcome) { run.feed(CodeEnded{std::move(outcome)}); }
  template <class E>
  static std::optional<E> last_of(const Run& run) {
    const auto found = all_of<E>(run);
    return found.empty() ? std::nullopt : std::optional(found.back());
  }
};

TEST_F(StepsMachine, PlansFirstAndNeverShowsThePlanAsText) {
  Run run = begin(Way::kSteps, api::Style::kCode);
  EXPECT_EQ(run.state().turns.back().purpose, TurnPurpose::kPlan);
  say(run, "1. compute");
  EXPECT_EQ(run.count<TextDelta>(), 0u);
  ASSERT_EQ(run.count<PlanMade>(), 1u);
  EXPECT_EQ(last_of<PlanMade>(run)->text, "1. compute");
  EXPECT_EQ(last_of<PlanMade>(run)->step_number, 1u);
  EXPECT_EQ(last_of<PlanMade>(run)->usage->input_tokens, 10u);
  EXPECT_EQ(run.state().turns.back().purpose, TurnPurpose::kAnswer);
  EXPECT_TRUE(run.commanded<CallModel>());
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, CodeRunsAfterItsIntentAndItsEndIsAStep) {
  Run run = begin(Way::kSteps, api::Style::kCode);
  say(run, "plan");
  say(run, "I add.\n```python\n6*7\n```");
  ASSERT_TRUE(run.commanded<RunCode>());
  EXPECT_EQ(last_of<CodeStarted>(run)->code, "6*7");
  end_code(run, {"seen\n", "42", {}, {}, false, false});
  const auto step = last_of<StepFinished>(run);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->step_number, 2u);
  EXPECT_EQ(step->model_output, "I add.");
  EXPECT_EQ(step->code_action, "6*7");
  EXPECT_EQ(step->observations, "seen\n42");
  EXPECT_FALSE(step->error);
  EXPECT_EQ(step->usage->output_tokens, 5u);
  say(run, "It is 42.");
  EXPECT_EQ(run.state().ended, RunStatus::kCompleted);
  EXPECT_EQ(last_of<RunCompleted>(run)->final_text, "It is 42.");
  EXPECT_EQ(last_of<RunCompleted>(run)->message_text, "It is 42.") << "style code: the final text alone";
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, FinalAnswerInCodeEndsTheRunWithItsValue) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\nfinal_answer([1])\n```");
  CodeOutcome outcome;
  outcome.final = json::array{1};
  end_code(run, outcome);
  EXPECT_EQ(run.state().ended, RunStatus::kCompleted);
  EXPECT_EQ(last_of<RunCompleted>(run)->final_json, "[1]");
  EXPECT_EQ(last_of<RunCompleted>(run)->final_text, "[1]");
  EXPECT_EQ(run.count<StepFinished>(), 1u);
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, AnErrorOfTheCodeIsToldAndTheRunGoesOn) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\n1/0\n```");
  end_code(run, {"", {}, "ZeroDivisionError: division by zero", {}, false, false});
  EXPECT_EQ(last_of<StepFinished>(run)->error, "ZeroDivisionError: division by zero");
  EXPECT_EQ(run.phase(), RunPhase::kThinking);
}

TEST_F(StepsMachine, WithoutASandboxTheRunFailsAndSaysWhy) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\n1\n```");
  CodeOutcome outcome;
  outcome.unavailable = true;
  outcome.error = "no namespaces here";
  end_code(run, outcome);
  EXPECT_EQ(run.state().ended, RunStatus::kFailed);
  EXPECT_EQ(run.state().failure_message, "no namespaces here");
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, AToolCalledByCodeIsACallLikeAnyOther) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\nchange(n=1)\n```");
  run.feed(CodeCalled{"change", {{"n", 1}}});
  ASSERT_EQ(run.call(0).phase, CallPhase::kWaiting) << "a tool that writes asks";
  EXPECT_TRUE(run.call(0).by_code);
  EXPECT_EQ(run.state().status(), RunStatus::kWaitingApproval);
  run.feed(DecisionMade{decide(run.call(0), Verdict::kApproved)});
  ASSERT_TRUE(run.commanded<StartTool>());
  run.feed(ToolDone{run.call(0).id, ToolOutcome::ok("done")});
  EXPECT_TRUE(run.commanded<AnswerCode>());
  EXPECT_EQ(run.count<StepFinished>(), 0u) << "the code goes on";
  end_code(run, {});
  EXPECT_EQ(run.count<StepFinished>(), 1u);
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, ARefusedCallIsAnsweredToTheCode) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\nchange(n=1)\n```");
  run.feed(CodeCalled{"change", {}});
  run.feed(DecisionMade{decide(run.call(0), Verdict::kRejected)});
  EXPECT_TRUE(run.commanded<AnswerCode>());
  EXPECT_FALSE(run.commanded<StartTool>());
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, WhenTheSandboxDiesACallThatWaitsNeverRuns) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\nchange(n=1)\n```");
  run.feed(CodeCalled{"change", {}});
  CodeOutcome died;
  died.lost = true;
  died.error = "the sandbox ended";
  end_code(run, died);
  EXPECT_EQ(run.call(0).phase, CallPhase::kRefused);
  EXPECT_EQ(run.count<StepFinished>(), 1u);
  EXPECT_EQ(run.phase(), RunPhase::kThinking);
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, ACallThatGoesWithItsSandboxWasRefusedByNobody) {
  fake_.agent.approval.on_reject = api::OnReject::kEnd;
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\nchange(n=1)\n```");
  run.feed(CodeCalled{"change", {}});
  end_code(run, {"", {}, "killed", {}, true, false});
  EXPECT_EQ(run.call(0).phase, CallPhase::kRefused);
  EXPECT_EQ(run.phase(), RunPhase::kThinking) << "a refusal would end this agent's run";
}

TEST_F(StepsMachine, WhenTheSandboxDiesACallThatRunsIsWaitedFor) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\nlook()\n```");
  run.feed(CodeCalled{"look", {}});
  end_code(run, {"", {}, "killed", {}, true, false});
  EXPECT_EQ(run.count<StepFinished>(), 0u);
  run.feed(ToolDone{run.call(0).id, ToolOutcome::ok("seen")});
  EXPECT_FALSE(run.commanded<AnswerCode>());
  EXPECT_EQ(run.count<StepFinished>(), 1u);
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, AnInterruptStopsTheCodeAtOnce) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\nwhile True: pass\n```");
  run.feed(InterruptOrdered{{}});
  EXPECT_TRUE(run.commanded<StopCode>());
  EXPECT_EQ(run.state().ended, RunStatus::kInterrupted);
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, AtMaxStepsThereIsOneLastTurnWithoutTools) {
  fake_.agent.max_steps = 2;
  fake_.agent.planning_interval = 0;
  Run run = begin(Way::kSteps, api::Style::kCode);
  for (int i = 0; i < 2; ++i) {
    say(run, "```python\n1\n```");
    end_code(run, {});
  }
  EXPECT_EQ(run.state().turns.back().purpose, TurnPurpose::kFinal);
  say(run, "```python\nnot run\n```");
  EXPECT_EQ(run.state().ended, RunStatus::kCompleted);
  EXPECT_EQ(run.count<CodeStarted>(), 2u);
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, APlanComesAgainAfterEveryIntervalOfActions) {
  fake_.agent.planning_interval = 2;
  Run run = begin(Way::kSteps, api::Style::kCode);
  say(run, "first plan");
  for (int i = 0; i < 2; ++i) {
    say(run, "```python\n1\n```");
    end_code(run, {});
  }
  EXPECT_EQ(run.state().turns.back().purpose, TurnPurpose::kPlan);
  say(run, "second plan");
  EXPECT_EQ(last_of<PlanMade>(run)->step_number, 4u);
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, ATurnOfFinalAnswerAloneIsNoStep) {
  fake_.agent.planning_interval = 0;
  Run run = begin(Way::kSteps, api::Style::kTools);
  run.feed(ModelToolCall{0, "p0", "final_answer"});
  run.feed(ModelToolArgs{0, R"({"answer":{"sum":3}})"});
  run.feed(ModelDone{{FinishReason::kToolCalls, "tool_calls", "", {}, {}}});
  EXPECT_EQ(run.state().ended, RunStatus::kCompleted);
  EXPECT_EQ(run.count<StepFinished>(), 0u);
  EXPECT_EQ(last_of<RunCompleted>(run)->final_json, R"({"sum":3})");
  EXPECT_EQ(last_of<RunCompleted>(run)->message_text, R"({"sum":3})");
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, CodeThatWasCutIsNotRun) {
  for (const auto reason : {FinishReason::kLength, FinishReason::kContentFilter}) {
    Run run = begin(Way::kConverse, api::Style::kCode);
    run.feed(ModelText{"```python\nprint(1"});
    run.feed(ModelDone{{reason, "", "", {}, {}}});
    EXPECT_EQ(run.count<CodeStarted>(), 0u);
    ASSERT_EQ(run.count<StepFinished>(), 1u);
    EXPECT_TRUE(last_of<StepFinished>(run)->error);
    EXPECT_EQ(run.phase(), RunPhase::kThinking);
  }
}

// ---- after a restart ----

TEST_F(StepsMachine, CodeThatHadTouchedNothingRunsAgain) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\n6*7\n```");
  restart(run);
  EXPECT_TRUE(run.commanded<RunCode>());
  end_code(run, {"", "42", {}, {}, false, false});
  EXPECT_EQ(last_of<StepFinished>(run)->observations, "42") << "no variables were lost";
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, TheNextObservationSaysThatVariablesAreGone) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\nx = 1\n```");
  end_code(run, {});
  restart(run);
  say(run, "```python\nx\n```");
  end_code(run, {"", {}, "NameError", {}, false, false});
  EXPECT_NE(last_of<StepFinished>(run)->observations.find("variables of earlier code are gone"), std::string::npos);
  say(run, "```python\nx = 1\n```");
  end_code(run, {"ok", {}, {}, {}, false, false});
  EXPECT_EQ(last_of<StepFinished>(run)->observations, "ok") << "said once";
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, CodeThatHadCalledAToolIsNotRunAgain) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\nlook()\n```");
  run.feed(CodeCalled{"look", {}});
  run.feed(ToolDone{run.call(0).id, ToolOutcome::ok("seen")});
  restart(run);
  EXPECT_FALSE(run.commanded<RunCode>());
  ASSERT_EQ(run.count<StepFinished>(), 1u);
  EXPECT_NE(last_of<StepFinished>(run)->observations.find("look: seen"), std::string::npos);
  EXPECT_TRUE(last_of<StepFinished>(run)->error);
  EXPECT_EQ(run.phase(), RunPhase::kThinking);
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, AnApprovalThatCodeWaitsForWorksAfterARestart) {
  Run run = begin(Way::kConverse, api::Style::kCode);
  say(run, "```python\nchange(n=1)\n```");
  run.feed(CodeCalled{"change", {}});
  restart(run);
  EXPECT_EQ(run.state().status(), RunStatus::kWaitingApproval);
  run.feed(DecisionMade{decide(run.call(0), Verdict::kApproved)});
  EXPECT_TRUE(run.commanded<StartTool>());
  run.feed(ToolDone{run.call(0).id, ToolOutcome::ok("changed")});
  EXPECT_NE(last_of<StepFinished>(run)->observations.find("change: changed"), std::string::npos);
  check_log(run.log, run.state());
}

TEST_F(StepsMachine, APlanThatWasCutIsAskedForAgain) {
  Run run = begin(Way::kSteps, api::Style::kCode);
  run.feed(ModelText{"half a pl"});
  restart(run);
  EXPECT_EQ(run.state().turns.back().purpose, TurnPurpose::kPlan);
  say(run, "a plan");
  EXPECT_EQ(last_of<PlanMade>(run)->text, "a plan");
  EXPECT_EQ(last_of<PlanMade>(run)->step_number, 1u);
  check_log(run.log, run.state());
}

}  // namespace
}  // namespace braidlog::testing
