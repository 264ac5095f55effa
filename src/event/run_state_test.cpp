#include "event/run_state.h"

#include <gtest/gtest.h>

#include "event/encoding.h"

namespace braidlog {
namespace {

ToolCallId call(std::uint8_t n) {
  ToolCallId id;
  id.value.bytes[15] = n;
  return id;
}
ApprovalId approval(std::uint8_t n) {
  ApprovalId id;
  id.value.bytes[15] = n;
  return id;
}

class Fold : public ::testing::Test {
 protected:
  RunState state;
  std::vector<RunEvent> log;

  void put(RunEventBody body) {
    log.push_back({{log.size() + 1}, {static_cast<std::int64_t>(1000 + log.size())}, 10, std::move(body)});
    state.apply(log.back());
  }
  void begin() {
    put(RunQueued{.user_id = "demo", .text = "Hello"});
    put(RunStarted{.user_id = "demo"});
  }
  void make_call(std::uint8_t n) {
    put(ToolCallStarted{call(n), 1, "file_write", "c"});
    put(ToolArgsDelta{call(n), "{\"a\""});
    put(ToolArgsDelta{call(n), ":1}"});
    put(ToolCallReady{call(n), "file_write", "{\"a\":1}"});
  }
  void ask(std::uint8_t n) {
    put(InputRequested{.input_id = approval(n), .call_id = call(n), .tool_name = "file_write", .expires_ms = 99});
  }
  void answer(std::uint8_t n, Verdict verdict, std::string reason = "") {
    put(InputGiven{.input_id = approval(n), .call_id = call(n), .verdict = verdict, .reason = std::move(reason)});
  }
  CallPhase phase(std::uint8_t n) const { return state.find_call(call(n))->phase; }
};

TEST_F(Fold, QueuedThenRunning) {
  EXPECT_EQ(state.status(), RunStatus::kQueued);
  put(RunQueued{.text = "Hello"});
  EXPECT_EQ(state.status(), RunStatus::kQueued);
  EXPECT_EQ(state.request.text, "Hello");
  EXPECT_EQ(state.queued_at, WallTime{1000});
  put(RunStarted{.agent = "writer"});
  EXPECT_EQ(state.status(), RunStatus::kRunning);
  EXPECT_TRUE(state.is_begun);
  EXPECT_EQ(state.begun.agent, "writer");
  EXPECT_EQ(state.last, Sequence{2});
}

TEST_F(Fold, TextOfTurnsAndOfTheRun) {
  begin();
  put(ModelStarted{.turn = 1});
  EXPECT_TRUE(state.is_thinking());
  put(TextStarted{1, 1});
  EXPECT_TRUE(state.text_open);
  put(TextDelta{1, 1, "one"});
  put(TextFinished{1, 1});
  EXPECT_FALSE(state.text_open);
  put(ModelFinished{.turn = 1, .finish = FinishReason::kToolCalls});
  EXPECT_FALSE(state.is_thinking());
  put(TextDelta{1, 1, "\n\n"});
  put(ModelStarted{.turn = 2, .purpose = TurnPurpose::kFinal});
  put(TextDelta{2, 2, "two"});
  EXPECT_EQ(state.text, "one\n\ntwo");
  ASSERT_EQ(state.turns.size(), 2u);
  EXPECT_EQ(state.turns[0].finish, FinishReason::kToolCalls);
  EXPECT_EQ(state.turns[1].text, "two");
  EXPECT_EQ(state.turns[1].purpose, TurnPurpose::kFinal);
  EXPECT_EQ(state.output_bytes, 8u);
}

TEST_F(Fold, ReasoningCountsButIsNoText) {
  begin();
  put(ModelStarted{.turn = 1});
  put(ReasoningStarted{1, 1});
  EXPECT_TRUE(state.reasoning_open);
  put(ReasoningDelta{1, 1, "hmm"});
  put(ReasoningFinished{1, 1});
  EXPECT_FALSE(state.reasoning_open);
  EXPECT_TRUE(state.turns[0].has_reasoning);
  EXPECT_EQ(state.text, "");
  EXPECT_EQ(state.output_bytes, 3u);
  EXPECT_EQ(state.parts, 1u);
}

TEST_F(Fold, UsageIsTheSumOfWhatWasReported) {
  begin();
  put(ModelStarted{.turn = 1});
  put(ModelFinished{.turn = 1});
  EXPECT_EQ(state.usage, std::nullopt) << "absent means absent, never zeros";
  put(ModelStarted{.turn = 2});
  put(ModelFinished{.turn = 2, .usage = Usage{1, 2, 3, 4, 5}});
  put(ModelStarted{.turn = 3});
  put(ModelFinished{.turn = 3, .usage = Usage{10, 20, 30, 40, 50}});
  EXPECT_EQ(state.usage, (Usage{11, 22, 33, 44, 55}));
  EXPECT_EQ(state.usage->total_tokens(), 33u);
  EXPECT_EQ(state.turns[0].usage, std::nullopt);
  EXPECT_EQ(state.turns[2].usage, (Usage{10, 20, 30, 40, 50}));
}

TEST_F(Fold, AnApprovedCall) {
  begin();
  put(ModelStarted{.turn = 1});
  put(ToolCallStarted{call(1), 1, "file_write", "c"});
  EXPECT_EQ(phase(1), CallPhase::kStreaming);
  put(ToolArgsDelta{call(1), "{}"});
  EXPECT_EQ(state.find_call(call(1))->args_text, "{}");
  put(ToolCallReady{call(1), "file_write", "{}"});
  EXPECT_EQ(phase(1), CallPhase::kReady);
  EXPECT_EQ(state.find_call(call(1))->args_json, "{}");
  ask(1);
  EXPECT_EQ(phase(1), CallPhase::kWaiting);
  EXPECT_EQ(state.status(), RunStatus::kRunning) << "the model still writes";
  put(ModelFinished{.turn = 1});
  EXPECT_EQ(state.status(), RunStatus::kWaitingApproval);
  EXPECT_EQ(state.find_approval(approval(1))->id, call(1));
  EXPECT_EQ(state.find_approval(approval(1))->expires_ms, 99);
  EXPECT_EQ(state.find_approval(approval(2)), nullptr);
  answer(1, Verdict::kApproved);
  EXPECT_EQ(phase(1), CallPhase::kPermitted);
  EXPECT_EQ(state.status(), RunStatus::kRunning);
  put(ToolStarted{call(1), "file_write"});
  EXPECT_EQ(phase(1), CallPhase::kRunning);
  put(ToolFinished{.call_id = call(1), .status = ToolStatus::kToolError, .text = "no"});
  EXPECT_EQ(phase(1), CallPhase::kFinished);
  EXPECT_TRUE(is_closed(phase(1)));
  EXPECT_EQ(state.find_call(call(1))->status, ToolStatus::kToolError);
  EXPECT_EQ(state.find_call(call(1))->result_text, "no");
}

TEST_F(Fold, ARefusedCallIsToldInPlainWords) {
  begin();
  const std::pair<const char*, const char*> reasons[] = {
      {"denied", "policy"}, {"timeout", "in time"}, {"interrupted", "interrupted"}, {"user_rejected", "rejected"}};
  std::uint8_t n = 0;
  for (const auto& [reason, word] : reasons) {
    make_call(++n);
    ask(n);
    answer(n, Verdict::kRejected, reason);
    EXPECT_EQ(phase(n), CallPhase::kRefused);
    EXPECT_NE(state.find_call(call(n))->result_text.find(word), std::string::npos);
  }
  EXPECT_TRUE(refusal_text("not this file").ends_with("not this file"));
}

TEST_F(Fold, WaitingOnlyWhileNothingElseGoesOn) {
  begin();
  make_call(1);
  make_call(2);
  ask(1);
  ask(2);
  EXPECT_EQ(state.status(), RunStatus::kWaitingApproval);
  answer(1, Verdict::kApproved);
  EXPECT_EQ(state.status(), RunStatus::kWaitingApproval);
  put(ToolStarted{call(1), "file_write"});
  EXPECT_EQ(state.status(), RunStatus::kRunning);
  put(ToolFinished{.call_id = call(1)});
  EXPECT_EQ(state.status(), RunStatus::kWaitingApproval);
  answer(2, Verdict::kRejected, "timeout");
  EXPECT_EQ(state.status(), RunStatus::kRunning);
}

TEST_F(Fold, AnAbandonedCallIsClosed) {
  begin();
  put(ToolCallStarted{call(1), 1, "t", ""});
  put(ToolCallAbandoned{call(1), "cut"});
  EXPECT_EQ(phase(1), CallPhase::kAbandoned);
  EXPECT_TRUE(is_closed(phase(1)));
}

TEST_F(Fold, InterruptingUntilItIsOver) {
  begin();
  put(InterruptRequested{"demo", "user"});
  put(InterruptRequested{"demo", "session_deleted"});
  EXPECT_EQ(state.status(), RunStatus::kInterrupting);
  EXPECT_EQ(state.interrupt_reason, "user") << "the first order counts";
  put(RunInterrupted{"user"});
  EXPECT_EQ(state.status(), RunStatus::kInterrupted);
  EXPECT_TRUE(is_over(state.status()));
  EXPECT_EQ(state.ended_at, log.back().at);
}

TEST_F(Fold, Endings) {
  begin();
  RunState other = state;
  put(RunCompleted{.final_text = "Done."});
  EXPECT_EQ(state.status(), RunStatus::kCompleted);
  EXPECT_EQ(state.final_text, "Done.");
  other.apply({{3}, {5}, 1, RunFailed{FailureCode::kMaxSteps, "too many"}});
  EXPECT_EQ(other.status(), RunStatus::kFailed);
  EXPECT_EQ(other.failure, FailureCode::kMaxSteps);
  EXPECT_EQ(other.failure_message, "too many");
  EXPECT_TRUE(is_terminal(log.back().body));
  EXPECT_FALSE(is_terminal(log.front().body));
}

TEST_F(Fold, StepsAreCounted) {
  begin();
  put(PlanMade{.step_number = 1});
  put(StepFinished{.step_number = 2});
  EXPECT_EQ(state.steps, 2u);
}

TEST_F(Fold, EventsOfCallsAndTurnsThatAreNotThereChangeNothing) {
  begin();
  const RunState before = state;
  const RunEventBody strays[] = {
      ToolArgsDelta{call(9), ""},         ToolCallReady{.call_id = call(9)}, ToolCallAbandoned{.call_id = call(9)},
      InputRequested{.call_id = call(9)}, InputGiven{.call_id = call(9)},    ToolStarted{.call_id = call(9)},
      ToolFinished{.call_id = call(9)},   ModelFinished{.turn = 9},          ModelFinished{.turn = 0}};
  for (const auto& body : strays) {
    state.apply({before.last, before.last_at, before.elapsed_ms, body});
    EXPECT_EQ(state, before);
  }
}

TEST_F(Fold, ADamagedTurnNumberMakesNoRoom) {
  begin();
  put(ModelStarted{.turn = 4'000'000'000});
  EXPECT_TRUE(state.turns.empty());
}

TEST_F(Fold, AContinuedTurnTakesTheTextOver) {
  begin();
  put(ModelStarted{.turn = 1});
  put(TextDelta{1, 1, "half "});
  put(ModelFinished{.turn = 1, .finish = FinishReason::kAborted});
  put(ModelStarted{.turn = 2, .continues = true});
  put(TextDelta{2, 2, "whole"});
  EXPECT_EQ(state.turns[0].text, "");
  EXPECT_EQ(state.turns[1].text, "half whole");
  EXPECT_EQ(state.text, "half whole");
}

TEST_F(Fold, AReplayFromRecordsGivesTheSameState) {
  begin();
  put(ModelStarted{.turn = 1});
  put(TextDelta{1, 1, "text"});
  make_call(1);
  put(ModelFinished{.turn = 1, .usage = Usage{1, 2}});
  ask(1);
  answer(1, Verdict::kApproved);
  put(ToolStarted{call(1), "file_write"});
  put(ToolFinished{.call_id = call(1), .text = "ok"});
  put(RunCompleted{.final_text = "text"});
  std::string bytes;
  for (const auto& event : log) append_record(bytes, event);
  RunState again;
  std::string_view rest = bytes;
  RecordContext context;
  for (Sequence at{1}; !rest.empty(); at = at.next()) {
    const auto event = take_record(rest, at, context);
    ASSERT_TRUE(event);
    again.apply(*event);
  }
  EXPECT_EQ(again, state);
}

}  // namespace
}  // namespace braidlog
