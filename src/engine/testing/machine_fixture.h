// A run machine under a test's hand, and what holds for every log it writes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/testing/fake_loop.h"
#include "engine/run_machine.h"
#include "engine/testing/fakes.h"

namespace braidlog::testing {

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
  // The same in another way, with the tasks of its session; it has begun.
  Run begin(Way way, std::vector<KnownTask> tasks = {}) {
    Run run;
    RunQueued queued;
    queued.way = way;
    if (way != Way::kExecute) queued.text = "hello";
    RunStarted started;
    started.tasks = std::move(tasks);
    run.log = {{{1}, {1000}, 0, queued}, {{2}, {1000}, 0, started}};
    load(run);
    run.feed(Begin{});
    return run;
  }
  // The server is another one now; the log is all that is left.
  void restart(Run& run) {
    load(run);
    run.feed(Resume{});
  }
  void load(Run& run) {
    RunState state;
    for (const auto& event : run.log) state.apply(event);
    run.machine = std::make_unique<RunMachine>(fake_.make(), limits_, policy_, ids_, std::move(state));
  }
  // A whole answer of the model.
  static void say(Run& run, const std::string& text) {
    run.feed(ModelText{text});
    run.feed(ModelDone{{FinishReason::kStop, "stop", "", Usage{10, 5, 0, 0, 0}, {}}});
  }
  template <class E>
  static std::vector<E> all_of(const Run& run) {
    std::vector<E> found;
    for (const auto& event : run.log) {
      if (const auto* e = std::get_if<E>(&event.body)) found.push_back(*e);
    }
    return found;
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

  FakeClock clock_;
  IdSource ids_{clock_, 11};
  Limits limits_;
  SessionPolicy policy_;
  FakeAgent fake_;
};

// What holds for every log, complete or not.
inline void check_log(const std::vector<RunEvent>& log, const RunState& state) {
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
      const bool by_person = e->permission == Permission::kApproval;
      ASSERT_EQ(by_person, approved.contains(e->call_id)) << "the log does not say who consented";
      if (e->name == "change") ASSERT_NE(e->permission, Permission::kReads) << "a tool that writes ran as if it read";
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

}  // namespace braidlog::testing
