#include "dialect/tasks/projection.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/json.h"
#include "event/run_state.h"
#include "wire/sse.h"

namespace braidlog::tasks {
namespace {

Id128 id_of(std::uint8_t last) {
  Id128 id;
  id.bytes[15] = last;
  return id;
}
const TaskId kTask{id_of(0xb1)};
const ToolCallId kCall{id_of(0xc1)};
#define TASK R"("taskId":"00000000-0000-0000-0000-0000000000b1")"

class TasksProjectionTest : public ::testing::Test {
 protected:
  using Lines = std::vector<std::string>;
  TasksProjection projection{100};
  Frames frames;
  std::uint64_t sequence = 0;

  void begin(Way way) { put(RunQueued{.way = way}), put(RunStarted{}); }
  void begin_task() {
    begin(Way::kExecute);
    put(TaskSelected{kTask});
    frames.clear();
  }
  void put(RunEventBody body) {
    RunEvent event;
    event.sequence = {++sequence};
    event.body = std::move(body);
    EXPECT_EQ(projection.needs_history(event), std::nullopt);
    projection.project(event, frames);
  }
  // The data of the frames since the last look. The type is in the event line too, and there is no id.
  Lines shown() {
    Lines data;
    SseReader reader(1 << 24);
    EXPECT_TRUE(reader.feed(frames.bytes, [&](SseEvent&& e) {
      EXPECT_EQ(e.last_id, "");
      EXPECT_TRUE(e.data.starts_with("{\"type\":\"" + e.type + "\"")) << e.data;
      EXPECT_TRUE(parse_json(e.data)) << e.data;
      data.push_back(e.data);
    }));
    EXPECT_EQ(data.size(), frames.marks.size());
    EXPECT_EQ(frames.bytes.find("id: "), std::string::npos);
    frames.clear();
    return data;
  }
  void make_ready(std::string args = R"({"query":"x"})") {
    put(ToolCallReady{.call_id = kCall, .name = "web_search", .args_json = std::move(args)});
    EXPECT_TRUE(frames.empty());
  }
  static std::string call_line(const std::string& input = R"({"query":"x"})") {
    return R"({"type":"tool_call",)" TASK R"(,"tool":"web_search","input":)" + input + "}";
  }
  static std::string result_line(const std::string& output) {
    return R"({"type":"tool_result",)" TASK R"(,"tool":"web_search","output":")" + output + "\"}";
  }
  static InputGiven refused(std::string reason, std::string user_id) {
    return {
        .call_id = kCall, .verdict = Verdict::kRejected, .reason = std::move(reason), .user_id = std::move(user_id)};
  }
};

TEST_F(TasksProjectionTest, TheFrameIsAsTheContractWritesIt) {
  begin(Way::kConverse);
  EXPECT_TRUE(frames.empty());
  put(TextDelta{1, 1, "Here's a task list..."});
  EXPECT_EQ(frames.bytes, "event: content\ndata: {\"type\":\"content\",\"content\":\"Here's a task list...\"}\n\n");
  ASSERT_EQ(frames.marks.size(), 1u);
  EXPECT_EQ(frames.marks[0].position, (FramePosition{{3}, 0}));
}

TEST_F(TasksProjectionTest, ContentIsNeverCutAndNeverEmpty) {
  begin(Way::kConverse);
  put(TextDelta{1, 1, ""});
  EXPECT_TRUE(frames.empty());
  const std::string text(1000, 'x');
  put(TextDelta{1, 1, text});
  EXPECT_EQ(shown(), Lines{R"({"type":"content","content":")" + text + "\"}"});
}

TEST_F(TasksProjectionTest, AChangedListIsShownWhole) {
  begin(Way::kConverse);
  put(TasksReplaced{{{kTask, "Research competitors", "Find top 5", TaskStatus::kDone, 0},
                     {TaskId{id_of(0xb2)}, "Write \"it\"", "", TaskStatus::kPending, 1}}});
  EXPECT_EQ(shown(), Lines{R"({"type":"tasks_updated","tasks":[)"
                           R"({"id":"00000000-0000-0000-0000-0000000000b1","title":"Research competitors",)"
                           R"("description":"Find top 5","status":"done","order":0},)"
                           R"({"id":"00000000-0000-0000-0000-0000000000b2","title":"Write \"it\"",)"
                           R"("description":"","status":"pending","order":1}]})"});
  put(TasksReplaced{});
  EXPECT_EQ(shown(), Lines{R"({"type":"tasks_updated","tasks":[]})"});
}

TEST_F(TasksProjectionTest, AChatRunEndsWithDoneOrError) {
  begin(Way::kConverse);
  put(RunCompleted{.tasks_total = 3});
  EXPECT_EQ(shown(), Lines{R"({"type":"done"})"});
  put(RunFailed{FailureCode::kProvider, "Failed to generate response"});
  EXPECT_EQ(shown(), Lines{R"({"type":"error","error":"Failed to generate response"})"});
  put(RunFailed{FailureCode::kInternal, ""});
  EXPECT_EQ(shown(), Lines{R"({"type":"error","error":"Something went wrong"})"});
  put(RunInterrupted{"session_deleted"});
  EXPECT_EQ(shown(), Lines{R"({"type":"error","error":"Run interrupted"})"});
}

// A run of any contract but an execution: text and the list, and nothing of tools, plans or steps.
TEST_F(TasksProjectionTest, OtherRunsShowNothingOfTools) {
  for (const auto way : {Way::kConverse, Way::kSteps}) {
    begin(way);
    put(PlanMade{});
    put(CodeStarted{1, "print(1)"});
    put(ToolCallStarted{.call_id = kCall, .name = "web_search"});
    put(ToolCallReady{.call_id = kCall, .name = "web_search", .args_json = "{}"});
    put(InputRequested{.call_id = kCall});
    put(refused("user_rejected", "demo"));
    put(ToolStarted{.call_id = kCall, .name = "web_search"});
    put(ArtifactCreated{.task_id = kTask});
    put(DataModified{.task_id = kTask});
    put(ToolFinished{.call_id = kCall, .name = "web_search", .text = "x"});
    put(StepFinished{});
    put(TaskSelected{kTask});
    put(TaskFinished{kTask, TaskStatus::kFailed, "x", "x"});
    put(ReflectionMade{kTask, "x"});
    put(Warning{"tool_fallback", "x"});
    put(RunResumed{});
    EXPECT_EQ(shown(), Lines{});
  }
}

TEST_F(TasksProjectionTest, ATaskFromItsSelectionToItsReflection) {
  begin(Way::kExecute);
  put(TaskSelected{kTask});
  EXPECT_EQ(shown(), Lines{"{\"type\":\"task_selected\"," TASK "}"});
  put(TextDelta{1, 1, "I search."});
  put(TasksReplaced{});
  EXPECT_EQ(shown(), Lines{});
  make_ready();
  put(ToolStarted{.call_id = kCall, .name = "web_search"});
  EXPECT_EQ(shown(), Lines{call_line()});
  put(ToolFinished{.call_id = kCall, .name = "web_search", .value_json = "[5]", .text = "Found 5"});
  EXPECT_EQ(shown(), Lines{result_line("Found 5")});
  put(TaskFinished{kTask, TaskStatus::kDone, "Successfully researched", std::nullopt});
  EXPECT_EQ(shown(),
            Lines{R"({"type":"task_completed",)" TASK R"(,"status":"done","result":"Successfully researched"})"});
  put(ReflectionMade{kTask, "Key insight"});
  EXPECT_EQ(shown(), Lines{R"({"type":"reflection",)" TASK R"(,"text":"Key insight"})"});
  put(RunCompleted{.tasks_total = 5, .tasks_done = 4, .tasks_failed = 1});
  EXPECT_EQ(shown(), Lines{R"({"type":"done","summary":{"total":5,"completed":4,"failed":1}})"});
}

TEST_F(TasksProjectionTest, AFailedTaskIsAnErrorAndThenCompleted) {
  begin_task();
  put(TaskFinished{kTask, TaskStatus::kFailed, "What there was", "Rate limit exceeded"});
  EXPECT_EQ(frames.marks.at(0).position.part, 0u);
  EXPECT_EQ(frames.marks.at(1).position.part, 1u);
  EXPECT_EQ(shown(), (Lines{R"({"type":"error",)" TASK R"(,"error":"Rate limit exceeded"})",
                            R"({"type":"task_completed",)" TASK R"(,"status":"failed","result":"What there was"})"}));
  put(TaskFinished{kTask, TaskStatus::kFailed, "", "Rate limit exceeded"});
  EXPECT_EQ(shown().at(1), R"({"type":"task_completed",)" TASK R"(,"status":"failed","result":"Rate limit exceeded"})");
  put(TaskFinished{kTask, TaskStatus::kFailed, "", std::nullopt});
  EXPECT_EQ(shown().at(0), R"({"type":"error",)" TASK R"(,"error":"The task failed"})");
}

TEST_F(TasksProjectionTest, ATaskThatGoesBackIsNotFinished) {
  begin_task();
  put(TaskFinished{kTask, TaskStatus::kPending, "", std::nullopt});
  EXPECT_EQ(shown(), Lines{});
}

TEST_F(TasksProjectionTest, AnExecutionThatIsCutHasAnErrorWithoutATask) {
  begin_task();
  put(RunInterrupted{"user"});
  EXPECT_EQ(shown(), Lines{R"({"type":"error","error":"Run interrupted"})"});
  put(RunFailed{FailureCode::kStorage, "The disk is full"});
  EXPECT_EQ(shown(), Lines{R"({"type":"error","error":"The disk is full"})"});
}

TEST_F(TasksProjectionTest, WhatACallChangedStandsBeforeItsResult) {
  begin_task();
  make_ready();
  put(ToolStarted{.call_id = kCall, .name = "web_search"});
  put(ArtifactCreated{ArtifactId{id_of(1)}, kTask, "Competitor Analysis", "document", "# secret"});
  put(ArtifactCreated{ArtifactId{id_of(1)}, std::nullopt, "x", "odd", ""});
  put(DataModified{DataItemId{id_of(2)}, kTask, DataOperation::kCreate, "contact", R"({"a":1})"});
  put(DataModified{DataItemId{id_of(2)}, std::nullopt, DataOperation::kDelete, "contact", ""});
  put(ToolFinished{.call_id = kCall, .name = "web_search", .text = "ok"});
  const std::string artifact = R"({"type":"artifact_created",)" TASK R"(,"artifactId":)"
                               R"("00000000-0000-0000-0000-000000000001","name":)";
  const std::string data = R"({"type":"data_modified",)" TASK R"(,"dataItemId":)"
                           R"("00000000-0000-0000-0000-000000000002","operation":)";
  EXPECT_EQ(shown(), (Lines{call_line(), artifact + R"("Competitor Analysis","artifactType":"document"})",
                            artifact + R"("x","artifactType":"other"})", data + R"("create","itemType":"contact"})",
                            data + R"("delete","itemType":"contact"})", result_line("ok")}));
}

// Frames have no ids of calls: only their order says which result is whose.
TEST_F(TasksProjectionTest, CallsThatRanAtOnceAreShownOneAfterTheOther) {
  const ToolCallId a{id_of(0xc1)}, b{id_of(0xc2)}, c{id_of(0xc3)}, d{id_of(0xc4)};
  begin_task();
  for (const auto id : {a, b, c, d}) put(ToolCallReady{.call_id = id, .name = "web_search", .args_json = "{}"});
  put(ToolStarted{.call_id = a, .name = "web_search"});
  put(ToolStarted{.call_id = b, .name = "web_search"});
  EXPECT_EQ(shown(), Lines{call_line("{}")});
  put(ArtifactCreated{ArtifactId{b.value}, kTask, "B", "note", ""});
  put(ToolFinished{.call_id = b, .name = "web_search", .text = "b"});
  put(InputGiven{.call_id = c, .verdict = Verdict::kRejected, .reason = "denied"});
  put(ToolStarted{.call_id = d, .name = "web_search"});
  EXPECT_EQ(shown(), Lines{}) << "a is not over";
  put(ToolFinished{.call_id = a, .name = "web_search", .text = "a"});
  const auto lines = shown();
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], result_line("a"));
  EXPECT_EQ(lines[1], call_line("{}"));
  EXPECT_TRUE(lines[2].starts_with(R"({"type":"artifact_created")")) << lines[2];
  EXPECT_EQ(lines[3], result_line("b"));
  EXPECT_EQ(lines[4], call_line("{}"));
  EXPECT_EQ(lines[5], result_line(refusal_text("denied")));
  EXPECT_EQ(lines[6], call_line("{}")) << "d runs";
  put(ToolFinished{.call_id = d, .name = "web_search", .text = "d"});
  EXPECT_EQ(shown(), Lines{result_line("d")});
}

TEST_F(TasksProjectionTest, WithoutATaskThereIsNothingToShow) {
  begin(Way::kExecute);
  put(ToolCallReady{.call_id = kCall, .name = "web_search", .args_json = "{}"});
  put(ToolStarted{.call_id = kCall, .name = "web_search"});
  put(ArtifactCreated{.artifact_id = ArtifactId{id_of(1)}});
  put(ToolFinished{.call_id = kCall, .name = "web_search", .text = "x"});
  EXPECT_EQ(shown(), Lines{});
}

TEST_F(TasksProjectionTest, ARefusedCallIsShownWithTheRefusalAsItsResult) {
  for (const char* reason : {"user_rejected", "denied", "timeout", "not on a Friday"}) {
    begin_task();
    make_ready();
    put(InputRequested{.call_id = kCall, .tool_name = "web_search"});
    EXPECT_EQ(shown(), Lines{});
    put(refused(reason, ""));
    ASSERT_EQ(frames.marks.size(), 2u);
    EXPECT_EQ(frames.marks[0].position.part, 0u);
    EXPECT_EQ(frames.marks[1].position.part, 1u);
    EXPECT_EQ(shown(), (Lines{call_line(), result_line(std::string(refusal_text(reason)))}));
  }
}

TEST_F(TasksProjectionTest, ACallThatTheEndOfTheRunRefusesIsNotShown) {
  begin_task();
  make_ready();
  put(refused("interrupted", ""));
  EXPECT_EQ(shown(), Lines{});
  // A person may write the same word.
  make_ready();
  put(refused("interrupted", "demo"));
  EXPECT_EQ(shown().size(), 2u);
}

TEST_F(TasksProjectionTest, AnApprovedCallIsShownWhenItRuns) {
  begin_task();
  make_ready();
  put(InputGiven{.call_id = kCall, .verdict = Verdict::kApproved});
  EXPECT_EQ(shown(), Lines{});
  put(ToolStarted{.call_id = kCall, .name = "web_search"});
  EXPECT_EQ(shown(), Lines{call_line()});
}

TEST_F(TasksProjectionTest, ACallThatNeverStartedBeginsAndEndsAtOnce) {
  begin_task();
  make_ready("");
  put(ToolFinished{.call_id = kCall, .name = "web_search", .status = ToolStatus::kInvalidArguments, .text = "no"});
  EXPECT_EQ(shown(), (Lines{call_line("{}"), result_line("no")}));
  put(ToolCallReady{.call_id = kCall, .name = "web_search", .args_json = "{}"});
  put(ToolCallAbandoned{.call_id = kCall});
  EXPECT_EQ(shown(), Lines{});
}

TEST_F(TasksProjectionTest, TheEnginesOwnToolsAreNotShown) {
  begin_task();
  for (const char* name : {"set_tasks", "fail_task", "final_answer"}) {
    put(ToolCallReady{.call_id = kCall, .name = name, .args_json = "{}"});
    put(refused("denied", ""));
    put(ToolStarted{.call_id = kCall, .name = name});
    put(ToolFinished{.call_id = kCall, .name = name, .text = "x"});
  }
  EXPECT_EQ(shown(), Lines{});
}

TEST_F(TasksProjectionTest, LongTextsAreCutWithAMark) {
  begin_task();
  make_ready(R"({"query":")" + std::string(500, 'q') + "\"}");
  put(ToolStarted{.call_id = kCall, .name = "web_search"});
  EXPECT_EQ(shown(), Lines{call_line(R"({"query":")" + std::string(500, 'q') + "\"}")}) << "arguments stay JSON";
  put(ToolFinished{.call_id = kCall, .name = "web_search", .text = std::string(136, 'x')});
  EXPECT_EQ(shown(), Lines{result_line(std::string(100, 'x') + "\u2026 [cut: 36 bytes]")});
  put(TaskFinished{kTask, TaskStatus::kFailed, std::string(101, 'r'), std::string(102, 'e')});
  put(ReflectionMade{kTask, std::string(103, 't')});
  const auto lines = shown();
  EXPECT_NE(lines.at(0).find("e\u2026 [cut: 2 bytes]"), std::string::npos);
  EXPECT_NE(lines.at(1).find("r\u2026 [cut: 1 bytes]"), std::string::npos);
  EXPECT_NE(lines.at(2).find("t\u2026 [cut: 3 bytes]"), std::string::npos);
}

}  // namespace
}  // namespace braidlog::tasks
