#include "engine/run_driver.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"
#include "engine/run_host.h"
#include "engine/testing/fakes.h"
#include "event/encoding.h"
#include "port/testing/empty_store.h"
#include "runlog/testing/inline_store.h"

namespace braidlog {
namespace {

// Takes appends; the engine's other writes are the store's own tests.
class AppendStore final : public testing::EmptyStore {
 public:
  std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) override {
    std::vector<Result<WriteOutcome>> results;
    for (const auto& write : writes) {
      if (fenced) {
        results.push_back(fail(ErrorCode::kFenced, "not yours"));
        continue;
      }
      appends.push_back(std::get<Append>(write));
      results.emplace_back(WriteOutcome{});
    }
    return results;
  }

  bool fenced = false;
  std::vector<Append> appends;
};

class DriverTest : public ::testing::Test {
 protected:
  void admit() {
    RunQueued queued;
    queued.text = "hello";
    RunHost::Admission admission;
    admission.run_id = id_;
    append_record(admission.records, {{1}, clock_.wall(), 0, queued});
    append_record(admission.records, {{2}, clock_.wall(), 0, RunStarted{}});
    admission.agent = fake_.make();
    ASSERT_TRUE(host_.admit(std::move(admission)).has_value());
    records_ = host_.log().find(id_);
    loop_.run_ready();
  }
  ModelSink& model() {
    EXPECT_NE(fake_.model->current, nullptr);
    return *fake_.model->current;
  }
  void call_tool(const std::string& name) {
    model().on_tool_call(0, "p", name);
    model().on_tool_args(0, "{}");
    model().on_finished({FinishReason::kToolCalls, "", "", {}, {}});
    loop_.run_ready();
  }
  RunState state() const {
    RunState state;
    Cursor cursor(records_);
    while (const RunEvent* event = cursor.next()) state.apply(*event);
    return state;
  }

  testing::FakeClock clock_;
  testing::FakeLoop loop_{clock_};
  AppendStore store_;
  testing::InlineStore access_{store_, loop_};
  Limits limits_;
  testing::FakeAgent fake_;
  RunHost host_{loop_, access_, limits_};
  RunId id_{Id128{{1}}};
  std::shared_ptr<RunRecords> records_;
};

TEST_F(DriverTest, TheModelIsCalledAfterTheTurnIsDurable) {
  access_.held = true;
  admit();
  EXPECT_EQ(fake_.model->calls, 0);
  access_.release();
  loop_.run_ready();
  EXPECT_EQ(fake_.model->calls, 1);
  model().on_text("Hello");
  model().on_finished({});
  loop_.run_ready();
  EXPECT_EQ(state().status(), RunStatus::kCompleted);
  EXPECT_EQ(host_.open_runs(), 0u);
  EXPECT_EQ(fake_.model->current, nullptr) << "the call is let go";
}

// What came in one read has one time; the next word, and everything that is no word, has its own.
TEST_F(DriverTest, TheClockIsReadOncePerRead) {
  admit();
  const auto ms_of_last = [&] {
    loop_.run_ready();
    return state().elapsed_ms;
  };
  const auto begun = ms_of_last();
  model().on_read_begin();
  model().on_text("one ");
  clock_.advance(std::chrono::milliseconds(10));
  model().on_text("two ");
  EXPECT_EQ(ms_of_last(), begun);
  model().on_read_end();
  model().on_text("three ");
  EXPECT_EQ(ms_of_last(), begun + 10);
  model().on_read_begin();  // the model breaks off in the middle of a read, and is not heard of again
  clock_.advance(std::chrono::milliseconds(10));
  host_.deliver(id_, RunOrder{}, {});
  EXPECT_EQ(ms_of_last(), begun + 20);
}

TEST_F(DriverTest, ARunThatEndsWhileItsLastWordsAreCommittedStaysUntilItsEndIs) {
  admit();
  access_.held = true;
  model().on_text("Hello");
  loop_.run_ready();  // with the store
  model().on_finished({});
  loop_.run_ready();
  access_.release();
  loop_.run_ready();
  EXPECT_EQ(state().status(), RunStatus::kCompleted);
  EXPECT_EQ(store_.appends.size(), 3u);
  EXPECT_EQ(host_.open_runs(), 0u);
}

TEST_F(DriverTest, AToolIsTouchedOnlyAfterItsIntentIsDurable) {
  admit();
  access_.held = true;
  call_tool("look");
  EXPECT_EQ(fake_.reads->starts, 0);
  access_.release();
  loop_.run_ready();
  EXPECT_EQ(fake_.reads->starts, 1);
  fake_.reads->finish(fake_.reads->started[0], ToolOutcome::ok("seen"));
  loop_.run_ready();
  EXPECT_EQ(fake_.model->calls, 2);
  const auto& messages = fake_.model->requests[1].messages;
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1].calls[0].id, messages[2].call_id);
  EXPECT_EQ(messages[2].text, "seen");
}

TEST_F(DriverTest, WaitingHoldsNoModelCallAndExpires) {
  limits_.approval_timeout = std::chrono::milliseconds(500);
  admit();
  call_tool("change");
  EXPECT_EQ(state().status(), RunStatus::kWaitingApproval);
  EXPECT_EQ(fake_.model->current, nullptr);
  loop_.advance(std::chrono::milliseconds(501));
  EXPECT_EQ(state().calls[0].phase, CallPhase::kRefused);
  EXPECT_EQ(fake_.writes->starts, 0);
  EXPECT_EQ(fake_.model->calls, 2);
}

TEST_F(DriverTest, AModelCallThatTakesTooLongIsGivenUp) {
  limits_.model_call_time_max = std::chrono::milliseconds(1000);
  admit();
  loop_.advance(std::chrono::milliseconds(900));
  model().on_text("still here");
  EXPECT_EQ(state().status(), RunStatus::kRunning);
  loop_.advance(std::chrono::milliseconds(200));
  EXPECT_EQ(state().failure, FailureCode::kProviderTimeout);
  EXPECT_EQ(fake_.model->current, nullptr);
}

TEST_F(DriverTest, ASlowToolTimesOutAndItsLateResultIsIgnored) {
  limits_.tool_timeout = std::chrono::milliseconds(100);
  admit();
  call_tool("look");
  loop_.advance(std::chrono::milliseconds(101));
  EXPECT_EQ(state().calls[0].status, ToolStatus::kTimeout);
  fake_.reads->finish(fake_.reads->started[0], ToolOutcome::ok("late"));
  loop_.run_ready();
  EXPECT_EQ(state().calls[0].status, ToolStatus::kTimeout);
}

TEST_F(DriverTest, ARunThatWorksTooLongFailsAndWaitingDoesNotCount) {
  limits_.run_time_max = std::chrono::milliseconds(120'000);
  limits_.model_call_time_max = std::chrono::hours(9);
  limits_.approval_timeout = std::chrono::hours(9);
  admit();
  call_tool("change");
  loop_.advance(std::chrono::hours(5));
  EXPECT_EQ(state().status(), RunStatus::kWaitingApproval);
  RunOrder order;
  order.kind = RunOrder::Kind::kDecide;
  order.approval_id = *state().calls[0].approval;
  Status acked = fail(ErrorCode::kInternal, "");
  host_.deliver(id_, order, [&](Status status) { acked = std::move(status); });
  loop_.run_ready();
  EXPECT_TRUE(acked.has_value());
  loop_.advance(std::chrono::minutes(5));
  EXPECT_EQ(state().failure, FailureCode::kLimitExceeded);
}

TEST_F(DriverTest, OrdersAreAcknowledgedAfterTheirEventAndConsumed) {
  admit();
  call_tool("change");
  RunOrder order;
  order.id = 77;
  order.reason = "user";
  access_.held = true;
  int acks = 0;
  host_.deliver(id_, order, [&](Status status) { acks += status.has_value(); });
  loop_.run_ready();
  EXPECT_EQ(acks, 0);
  access_.release();
  loop_.run_ready();
  EXPECT_EQ(acks, 1);
  EXPECT_EQ(store_.appends.back().effects->orders_done, std::vector<std::uint64_t>{77});
  ErrorCode late = ErrorCode::kInternal;
  host_.deliver(id_, order, [&](Status status) { late = status.error().code; });
  EXPECT_EQ(late, ErrorCode::kInvalidState);
}

TEST_F(DriverTest, AnOrderThatComesWithTheEndIsAnsweredWhenTheEndIsDurable) {
  admit();
  access_.held = true;
  model().on_text("Hello");
  model().on_finished({});
  loop_.run_ready();  // the terminal event is with the store
  std::optional<Status> told;
  host_.deliver(id_, RunOrder{}, [&](Status status) { told = std::move(status); });
  EXPECT_FALSE(told) << "a client that looks now would read that the run goes on";
  access_.release();
  loop_.run_ready();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->error().code, ErrorCode::kInvalidState);
  EXPECT_EQ(state().status(), RunStatus::kCompleted);
}

TEST_F(DriverTest, AFencedRunStopsAtOnce) {
  admit();
  store_.fenced = true;
  model().on_text("x");
  loop_.run_ready();
  EXPECT_EQ(host_.open_runs(), 0u);
  EXPECT_EQ(fake_.model->current, nullptr);
  EXPECT_EQ(records_->committed().value, 3u);
}

TEST_F(DriverTest, DurationsNeverRunBackwards) {
  admit();
  loop_.advance(std::chrono::milliseconds(50));
  model().on_text("a");
  clock_.step_wall(std::chrono::hours(-3));
  model().on_text("b");
  clock_.step_wall(std::chrono::hours(6));
  model().on_text("c");
  model().on_finished({});
  loop_.run_ready();
  std::uint32_t last = 0;
  Cursor cursor(records_);
  while (const RunEvent* event = cursor.next()) {
    EXPECT_GE(event->elapsed_ms, last);
    last = event->elapsed_ms;
  }
  EXPECT_EQ(last, 50u);
}

// ---- code ----

class CodeDriverTest : public DriverTest {
 protected:
  void act(const std::string& code) {
    model().on_text("```python\n" + code + "\n```");
    model().on_finished({FinishReason::kStop, "", "", {}, {}});
    loop_.run_ready();
  }
  void SetUp() override {
    fake_.agent.style = api::Style::kCode;
    admit();
  }
  testing::FakeSandbox& sandbox() { return *fake_.sandbox; }
};

TEST_F(CodeDriverTest, OneSandboxServesAllTheCodeOfARun) {
  act("x = 1");
  sandbox().finish({});
  loop_.run_ready();
  act("x + 1");
  EXPECT_EQ(sandbox().sessions.size(), 1u);
  EXPECT_EQ(sandbox().last()->codes, (std::vector<std::string>{"x = 1", "x + 1"}));
  ASSERT_EQ(sandbox().last()->functions.size(), 2u);
  EXPECT_EQ(sandbox().last()->functions[0].name, "look");
}

TEST_F(CodeDriverTest, AToolAnswersTheCodeWithItsValue) {
  fake_.reads->answers_at_once = true;
  act("look()");
  sandbox().call("look", {{"n", 1}});
  loop_.run_ready();
  ASSERT_EQ(sandbox().last()->answers.size(), 1u);
  EXPECT_EQ(sandbox().last()->answers[0].value, json::value("ok"));
  EXPECT_FALSE(sandbox().last()->answers[0].error);
}

TEST_F(CodeDriverTest, AToolThatFailsIsAnErrorInTheCode) {
  act("look()");
  sandbox().call("look", {{"bad", 1}});
  loop_.run_ready();
  ASSERT_EQ(sandbox().last()->answers.size(), 1u);
  EXPECT_TRUE(sandbox().last()->answers[0].error);
}

TEST_F(CodeDriverTest, TheSandboxGoesWithTheRun) {
  act("final_answer(1)");
  CodeOutcome outcome;
  outcome.final = 1;
  sandbox().finish(outcome);
  loop_.run_ready();
  EXPECT_EQ(state().ended, RunStatus::kCompleted);
  EXPECT_FALSE(sandbox().last()->open);
}

TEST_F(CodeDriverTest, AnInterruptKillsTheCode) {
  act("while True: pass");
  RunOrder order;
  host_.deliver(id_, order, {});
  loop_.run_ready();
  EXPECT_FALSE(sandbox().last()->open);
  EXPECT_EQ(state().ended, RunStatus::kInterrupted);
}

TEST_F(CodeDriverTest, ASandboxThatDiesWhileItIsAnsweredDoesNoHarm) {
  act("look()");
  sandbox().call("look", {});
  loop_.run_ready();
  sandbox().finish({"", {}, "killed", {}, true, false});
  loop_.run_ready();
  fake_.reads->finish(fake_.reads->started.back(), ToolOutcome::ok("late"));
  loop_.run_ready();
  EXPECT_TRUE(sandbox().last()->answers.empty());
  EXPECT_EQ(state().turns.size(), 2u) << "the model is told and goes on";
}

}  // namespace
}  // namespace braidlog
