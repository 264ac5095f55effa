#include "engine/run_machine.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/testing/fake_loop.h"
#include "engine/testing/fakes.h"
#include "event/event_type.h"

namespace braidlog {
namespace {

class MachineTest : public ::testing::Test {
 protected:
  // A run that is queued and started, with everything the machine said since then.
  struct Run {
    std::unique_ptr<RunMachine> machine;
    std::vector<RunEvent> log;
    RunStep last;

    RunStep& feed(const RunInput& input, WallTime now = {1000}) {
      last = machine->handle(input, {now, machine->state().elapsed_ms + 1});
      log.insert(log.end(), last.events.begin(), last.events.end());
      return last;
    }
    RunPhase phase() const { return phase_of(machine->state()); }
    const RunState& state() const { return machine->state(); }
    const ToolCallState& call(std::size_t i) const { return state().calls.at(i); }
    template <class E>
    std::size_t count() const {
      return static_cast<std::size_t>(
          std::ranges::count_if(log, [](const auto& e) { return std::holds_alternative<E>(e.body); }));
    }
    template <class C>
    bool commanded() const {
      return std::ranges::any_of(last.commands, [](const auto& c) { return std::holds_alternative<C>(c); });
    }
  };

  Run make() {
    Run run;
    RunState state;
    RunQueued queued;
    queued.text = "hello";
    run.log = {{{1}, {1000}, 0, queued}, {{2}, {1000}, 0, RunStarted{}}};
    for (const auto& event : run.log) state.apply(event);
    run.machine = std::make_unique<RunMachine>(fake_.make(), limits_, policy_, ids_, std::move(state));
    return run;
  }
  Run thinking() {
    Run run = make();
    run.feed(Begin{});
    return run;
  }
  // One call of each named tool, complete.
  Run acting(const std::vector<std::string>& tools) {
    Run run = thinking();
    for (unsigned i = 0; i < tools.size(); ++i) {
      run.feed(ModelToolCall{i, "p" + std::to_string(i), tools[i]});
      run.feed(ModelToolArgs{i, "{\"n\":"});
      run.feed(ModelToolArgs{i, "1}"});
    }
    run.feed(ModelDone{{FinishReason::kToolCalls, "tool_calls", "", Usage{10, 5, 0, 0, 0}, {}}});
    return run;
  }
  Run in_phase(RunPhase phase) {
    switch (phase) {
      case RunPhase::kQueued: return make();
      case RunPhase::kThinking: return thinking();
      case RunPhase::kActing: return acting({"look", "change"});
      case RunPhase::kInterrupting: {
        Run run = acting({"look"});
        run.feed(InterruptOrdered{{}});
        return run;
      }
      case RunPhase::kOver: {
        Run run = thinking();
        run.feed(ModelDone{{}});
        return run;
      }
    }
    return make();
  }
  static RunOrder decide(const ToolCallState& call, Verdict verdict) {
    RunOrder order;
    order.kind = RunOrder::Kind::kDecide;
    order.approval_id = call.approval.value_or(ApprovalId{});
    order.verdict = verdict;
    order.reason = verdict == Verdict::kRejected ? "user_rejected" : "";
    return order;
  }

  testing::FakeClock clock_;
  IdSource ids_{clock_, 11};
  Limits limits_;
  SessionPolicy policy_;
  testing::FakeAgent fake_;
};

// What holds for every log, complete or not.
void check_log(const std::vector<RunEvent>& log, const RunState& state) {
  RunState folded;
  std::size_t terminals = 0;
  std::set<ToolCallId> asked, approved, started, closed;
  for (std::size_t i = 0; i < log.size(); ++i) {
    ASSERT_EQ(log[i].sequence.value, i + 1);
    ASSERT_EQ(terminals, 0u) << "an event after the terminal one";
    folded.apply(log[i]);
    terminals += is_terminal(log[i].body);
    if (const auto* e = std::get_if<InputRequested>(&log[i].body)) asked.insert(e->call_id);
    if (const auto* e = std::get_if<InputGiven>(&log[i].body)) {
      ASSERT_TRUE(asked.erase(e->call_id)) << "decided twice, or never asked";
      (e->verdict == Verdict::kApproved ? approved : closed).insert(e->call_id);
    }
    if (const auto* e = std::get_if<ToolStarted>(&log[i].body)) {
      ASSERT_TRUE(started.insert(e->call_id).second) << "started twice";
      ASSERT_FALSE(closed.contains(e->call_id));
    }
    if (const auto* e = std::get_if<ToolFinished>(&log[i].body)) {
      ASSERT_TRUE(closed.insert(e->call_id).second) << "finished twice";
    }
  }
  ASSERT_EQ(folded, state) << "the state is not the fold of the log";
  if (terminals == 0) return;
  for (const auto& call : state.calls) ASSERT_TRUE(is_closed(call.phase)) << "a call is open in a finished run";
  ASSERT_FALSE(state.text_open || state.reasoning_open);
}

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
                                        TimeUp{}};
  ASSERT_EQ(inputs.size(), std::variant_size_v<RunInput>);
  // One column per input above; x: the machine answers, o: it listens but this very input says nothing new.
  const std::map<RunPhase, std::string> expected = {
      {RunPhase::kQueued, "xx.........x.x"}, {RunPhase::kThinking, ".xxxxoxx...x.x"},
      {RunPhase::kActing, ".x......ooox.x"}, {RunPhase::kInterrupting, ".x......o...xx"},
      {RunPhase::kOver, ".............."},
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

// Whatever comes in whatever order: the log stays legal, and a run that ended says nothing more.
TEST_F(MachineTest, AnyOrderOfInputsKeepsTheLogLegal) {
  limits_.tool_calls_max = 12;
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
        case 2: run.feed(ModelText{"word "}); break;
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
}

}  // namespace
}  // namespace braidlog
