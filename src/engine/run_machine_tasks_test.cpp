// The execute way: tasks in order, results, failures and reflections; and the planner's own tool.
#include <gtest/gtest.h>

#include "engine/effects.h"
#include "engine/testing/machine_fixture.h"

namespace braidlog::testing {
namespace {

class TasksMachine : public MachineTest {
 protected:
  TasksMachine() { fake_.agent.tools.push_back("set_tasks"); }

  KnownTask task(const std::string& title, TaskStatus status = TaskStatus::kPending, std::string result = {}) {
    return {{ids_.make<TaskId>(), title, "", status, order_++}, std::move(result)};
  }
  static void call(Run& run, const std::string& tool, const std::string& args) {
    run.feed(ModelToolCall{0, "p", tool});
    run.feed(ModelToolArgs{0, args});
    run.feed(ModelDone{{FinishReason::kToolCalls, "tool_calls", "", {}, {}}});
  }
  static std::string list_of(int count) {
    std::string args = R"({"tasks":[)";
    for (int i = 0; i < count; ++i)
      args += std::string(i > 0 ? "," : "") + R"({"title":"t)" + std::to_string(i) + R"("})";
    return args + "]}";
  }

  std::uint32_t order_ = 0;
};

TEST_F(TasksMachine, TasksAreDoneInOrderEachWithItsReflection) {
  const auto first = task("one"), second = task("two");
  Run run = begin(Way::kExecute, {first, second});
  say(run, "result one");
  say(run, "went well");
  say(run, "result two");
  say(run, "went well too");
  EXPECT_EQ(run.state().ended, RunStatus::kCompleted);
  const auto selected = all_of<TaskSelected>(run);
  ASSERT_EQ(selected.size(), 2u);
  EXPECT_EQ(selected[0].task_id, first.item.id);
  EXPECT_EQ(selected[1].task_id, second.item.id);
  EXPECT_EQ(all_of<TaskFinished>(run)[0].result, "result one");
  EXPECT_EQ(all_of<ReflectionMade>(run)[1].text, "went well too");
  const auto end = all_of<RunCompleted>(run).at(0);
  EXPECT_EQ(end.final_text, "2 of 2 tasks done");
  EXPECT_EQ(end.message_text, "");
  EXPECT_EQ(end.tasks_total, 2u);
  EXPECT_EQ(end.message_position, 0u);
  check_log(run.log, run.state());
}

TEST_F(TasksMachine, OnlyPendingTasksAreWorkedOn) {
  Run run = begin(Way::kExecute, {task("old", TaskStatus::kDone, "before"), task("new")});
  say(run, "result");
  say(run, "fine");
  EXPECT_EQ(all_of<TaskSelected>(run).size(), 1u);
  EXPECT_EQ(all_of<RunCompleted>(run).at(0).tasks_total, 1u);
}

TEST_F(TasksMachine, ATaskThatIsGivenUpFailsAndTheRestGoesOn) {
  Run run = begin(Way::kExecute, {task("one"), task("two")});
  call(run, "fail_task", R"({"reason":"no such market"})");
  const auto failed = all_of<TaskFinished>(run).at(0);
  EXPECT_EQ(failed.status, TaskStatus::kFailed);
  EXPECT_EQ(failed.error, "no such market");
  EXPECT_EQ(run.count<StepFinished>(), 0u);
  say(run, "a pity");
  say(run, "result two");
  say(run, "good");
  EXPECT_EQ(all_of<RunCompleted>(run).at(0).final_text, "1 of 2 tasks done");
  EXPECT_EQ(all_of<RunCompleted>(run).at(0).tasks_failed, 1u);
  check_log(run.log, run.state());
}

TEST_F(TasksMachine, AModelCallThatFailsFailsItsTask) {
  Run run = begin(Way::kExecute, {task("one"), task("two")});
  run.feed(ModelBroke{{ErrorCode::kProvider, "The model is down", {}}});
  EXPECT_EQ(all_of<TaskFinished>(run).at(0).error, "The model is down");
  run.feed(ModelBroke{{ErrorCode::kProvider, "The model is down", {}}});
  EXPECT_EQ(all_of<ReflectionMade>(run).at(0).text, "No reflection was written: The model is down.");
  say(run, "result two");
  say(run, "good");
  EXPECT_EQ(run.state().ended, RunStatus::kCompleted);
  check_log(run.log, run.state());
}

TEST_F(TasksMachine, ATaskHasItsOwnTurnLimit) {
  fake_.agent.max_steps = 2;
  Run run = begin(Way::kExecute, {task("one"), task("two")});
  for (int i = 0; i < 2; ++i) {
    call(run, "look", "{}");
    run.feed(ToolDone{run.state().calls.back().id, ToolOutcome::ok("x")});
  }
  EXPECT_EQ(all_of<TaskFinished>(run).at(0).status, TaskStatus::kFailed);
  say(run, "hm");
  EXPECT_EQ(run.state().turns.back().purpose, TurnPurpose::kAnswer);
  EXPECT_EQ(all_of<TaskSelected>(run).size(), 2u);
}

TEST_F(TasksMachine, WhatAToolMadeIsLoggedBeforeItsResultAndWithItsTask) {
  const auto only = task("one");
  Run run = begin(Way::kExecute, {only});
  call(run, "look", "{}");
  ToolOutcome outcome = ToolOutcome::ok("made");
  outcome.changes.push_back(ArtifactMade{"Report", "document", "text"});
  const auto id = run.call(0).id;
  run.feed(ToolDone{id, outcome});
  const auto made = all_of<ArtifactCreated>(run).at(0);
  EXPECT_EQ(made.artifact_id.value, id.value);
  EXPECT_EQ(made.task_id, only.item.id);
  const RunEffects effects = effects_of(RunId{}, run.state(), run.last.events);
  ASSERT_EQ(effects.artifacts.size(), 1u);
  EXPECT_EQ(effects.artifacts[0].content, "text");
  EXPECT_TRUE(effects.changed_at);
}

TEST_F(TasksMachine, AnInterruptPutsTheTaskBack) {
  const auto only = task("one");
  Run run = begin(Way::kExecute, {only});
  run.feed(InterruptOrdered{{}});
  EXPECT_EQ(run.state().ended, RunStatus::kInterrupted);
  const RunEffects effects = effects_of(RunId{}, run.state(), run.last.events);
  ASSERT_EQ(effects.task_changes.size(), 1u);
  EXPECT_EQ(effects.task_changes[0].status, TaskStatus::kPending);
  EXPECT_EQ(effects.session_status, api::SessionStatus::kPlanning);
}

TEST_F(TasksMachine, AfterARestartNoTaskIsDoneTwice) {
  Run run = begin(Way::kExecute, {task("one"), task("two")});
  say(run, "result one");
  run.feed(ModelText{"half a refl"});
  restart(run);
  EXPECT_EQ(run.state().turns.back().purpose, TurnPurpose::kReflection);
  say(run, "whole");
  EXPECT_EQ(all_of<ReflectionMade>(run).at(0).text, "whole");
  restart(run);
  say(run, "result two");
  say(run, "good");
  EXPECT_EQ(all_of<TaskSelected>(run).size(), 2u);
  EXPECT_EQ(all_of<TaskFinished>(run).size(), 2u);
  EXPECT_EQ(run.state().ended, RunStatus::kCompleted);
  check_log(run.log, run.state());
}

// ---- set_tasks ----

TEST_F(TasksMachine, SetTasksReplacesThePendingOnesAlone) {
  const auto done = task("old", TaskStatus::kDone, "r"), pending = task("unwanted");
  Run run = begin(Way::kConverse, {done, pending});
  call(run, "set_tasks", list_of(3));
  const auto replaced = all_of<TasksReplaced>(run).at(0).tasks;
  ASSERT_EQ(replaced.size(), 4u);
  EXPECT_EQ(replaced[0].id, done.item.id);
  EXPECT_EQ(replaced[1].title, "t0");
  EXPECT_EQ(replaced[3].order, 3u);
  EXPECT_EQ(run.count<StepFinished>(), 0u) << "a turn of the engine's own tools is no step";
  EXPECT_EQ(run.phase(), RunPhase::kThinking);
  const RunEffects effects = effects_of(RunId{}, run.state(), run.last.events);
  EXPECT_EQ(effects.tasks->size(), 4u);
  EXPECT_EQ(effects.session_status, api::SessionStatus::kPlanning);
  check_log(run.log, run.state());
}

TEST_F(TasksMachine, AListOfTheWrongLengthIsAskedForOnceMoreThenTaken) {
  for (const auto& [wanted, taken] : {std::pair(2, 2u), std::pair(14, 10u), std::pair(0, 0u)}) {
    Run run = begin(Way::kConverse, {});
    call(run, "set_tasks", list_of(wanted));
    EXPECT_EQ(run.count<TasksReplaced>(), 0u);
    EXPECT_EQ(run.call(0).status, ToolStatus::kToolError);
    call(run, "set_tasks", list_of(wanted));
    ASSERT_EQ(run.count<TasksReplaced>(), 1u);
    EXPECT_EQ(all_of<TasksReplaced>(run).at(0).tasks.size(), taken);
    check_log(run.log, run.state());
  }
}

TEST_F(TasksMachine, ArgumentsThatAreNoListAreToldToTheModel) {
  for (const char* args : {"{}", R"({"tasks":1})", R"({"tasks":[{"title":" "},{"title":"b"},{"title":"c"}]})"}) {
    Run run = begin(Way::kConverse, {});
    call(run, "set_tasks", args);
    EXPECT_EQ(run.call(0).status, ToolStatus::kInvalidArguments) << args;
    EXPECT_EQ(run.phase(), RunPhase::kThinking);
  }
}

TEST_F(TasksMachine, TheEnginesToolsExistOnlyWhereTheyAreOnOffer) {
  Run planning = begin(Way::kConverse, {});
  call(planning, "fail_task", "{}");
  EXPECT_EQ(planning.call(0).status, ToolStatus::kToolError);
  Run executing = begin(Way::kExecute, {task("one")});
  call(executing, "set_tasks", list_of(3));
  EXPECT_EQ(executing.call(0).status, ToolStatus::kToolError);
  EXPECT_EQ(executing.count<TasksReplaced>(), 0u);
}

}  // namespace
}  // namespace braidlog::testing
