#include "dialect/chat/projection.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "dialect/event_id.h"
#include "event/event_type.h"
#include "wire/sse.h"

namespace braidlog::chat {
namespace {

const RunId kRunId = *RunId::parse("run_01KHF0000070008000000000R1");
const ToolCallId kCall{kRunId.value};

RunStarted started() {
  RunStarted event;
  event.session_id = *SessionId::parse("01KHF0000070008000000000S1");
  event.assistant_message_id = *MessageId::parse("01KHF0000070008000000000M2");
  return event;
}

class ChatProjectionTest : public ::testing::Test {
 protected:
  ChatProjection projection{kRunId, 64};
  Frames frames;
  std::uint64_t sequence = 0;

  ChatProjectionTest() {
    put(RunQueued{});
    put(started());
    begun = frames.bytes;
    frames.clear();
  }
  void put(RunEventBody body) {
    RunEvent event;
    event.sequence = {++sequence};
    event.elapsed_ms = 1250;
    event.body = std::move(body);
    projection.project(event, frames);
  }
  void begin_call(const char* name = "search") { put(ToolCallStarted{.call_id = kCall, .turn = 1, .name = name}); }
  // The frames so far, "type data" each, taken away.
  std::vector<std::string> take() {
    std::vector<std::string> found;
    SseReader reader(1 << 24);
    EXPECT_TRUE(reader.feed(frames.bytes, [&](const SseView& e) {
      EXPECT_TRUE(parse_json(e.data)) << e.data;
      found.push_back(std::string(e.type) + " " + std::string(e.data));
    }));
    EXPECT_EQ(found.size(), frames.marks.size());
    frames.clear();
    return found;
  }
  using Lines = std::vector<std::string>;
  std::string begun;
};

const char kEndSuccess[] = R"(tool_call_end {"tool_call_id":"call_01KHF0000070008000000000R1","status":"success"})";
const char kEndError[] = R"(tool_call_end {"tool_call_id":"call_01KHF0000070008000000000R1","status":"error"})";

TEST_F(ChatProjectionTest, TheFrameIsAsTheContractWritesIt) {
  EXPECT_EQ(begun,
            "event: stream_start\n"
            "id: evt_01KHF0000070008000000000R1_0000000002\n"
            "data: {\"session_id\":\"01KHF0000070008000000000S1\",\"message_id\":\"01KHF0000070008000000000M2\"}\n\n");
  put(TextDelta{1, 1, "Our return policy"});
  EXPECT_EQ(frames.bytes,
            "event: message_delta\n"
            "id: evt_01KHF0000070008000000000R1_0000000003\n"
            "data: {\"delta\":\"Our return policy\",\"message_id\":\"01KHF0000070008000000000M2\"}\n\n");
  ASSERT_EQ(frames.marks.size(), 1u);
  EXPECT_EQ(frames.marks[0].position, (FramePosition{{3}, 0}));
  EXPECT_EQ(frames.marks[0].end, frames.bytes.size());
}

TEST_F(ChatProjectionTest, TheIdIsOneThatCanBeResumedFrom) {
  put(TextDelta{1, 1, "a"});
  SseReader reader(1 << 16);
  std::string id;
  reader.feed(frames.bytes, [&](const SseView& e) { id = e.last_id; });
  EXPECT_EQ(parse_event_id(id), (EventId{kRunId, {3}, std::nullopt}));
}

TEST_F(ChatProjectionTest, AnEmptyDeltaMakesNoFrame) {
  begin_call();
  take();
  put(TextDelta{1, 1, ""});
  put(ToolArgsDelta{kCall, ""});
  EXPECT_TRUE(frames.empty());
  EXPECT_TRUE(frames.bytes.empty());
}

TEST_F(ChatProjectionTest, DeltasAreNeverCut) {
  const std::string text(1000, 'x');
  put(TextDelta{1, 1, text});
  begin_call();
  put(ToolArgsDelta{kCall, text});
  const auto lines = take();
  EXPECT_NE(lines.at(0).find("\"" + text + "\""), std::string::npos);
  EXPECT_NE(lines.at(2).find("\"" + text + "\""), std::string::npos);
}

TEST_F(ChatProjectionTest, AnyTextComesOutExactly) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = to_valid_utf8(*rc::gen::arbitrary<std::string>());
    ChatProjection one{kRunId, 64};
    Frames out;
    one.project({{2}, {0}, 0, ToolCallStarted{.call_id = kCall, .name = "t"}}, out);
    out.clear();
    one.project({{3}, {0}, 0, TextDelta{1, 1, text}}, out);
    one.project({{4}, {0}, 0, ToolArgsDelta{kCall, text}}, out);
    std::vector<SseEvent> events;
    SseReader reader(1 << 24);
    RC_ASSERT(reader.feed(out.bytes, [&](SseEvent&& e) { events.push_back(std::move(e)); }));
    RC_ASSERT(events.size() == (text.empty() ? 0u : 2u));
    if (text.empty()) return;
    RC_ASSERT(std::string(parse_json(events[0].data)->at("delta").as_string()) == text);
    RC_ASSERT(std::string(parse_json(events[1].data)->at("args_delta").as_string()) == text);
  }));
}

TEST_F(ChatProjectionTest, ACallFromItsBeginningToItsEnd) {
  begin_call("search_knowledge_base");
  put(ToolArgsDelta{kCall, "{\"query\": \"return"});
  put(ToolArgsDelta{kCall, " policy\"}"});
  put(ToolCallReady{kCall, "search_knowledge_base", R"({"query":"return policy"})"});
  put(ToolStarted{.call_id = kCall, .name = "search_knowledge_base"});
  put(ToolFinished{.call_id = kCall, .name = "search_knowledge_base", .text = "found"});
  EXPECT_EQ(
      take(),
      (Lines{R"(tool_call_start {"tool_call_id":"call_01KHF0000070008000000000R1","name":"search_knowledge_base",)"
             R"("message_id":"01KHF0000070008000000000M2"})",
             R"(tool_call_args {"tool_call_id":"call_01KHF0000070008000000000R1",)"
             R"("args_delta":"{\"query\": \"return"})",
             R"(tool_call_args {"tool_call_id":"call_01KHF0000070008000000000R1","args_delta":" policy\"}"})",
             kEndSuccess}));
}

TEST_F(ChatProjectionTest, ACallWithoutAnyFragmentStillHasArguments) {
  begin_call();
  take();
  put(ToolCallReady{kCall, "search", "{}"});
  const Lines expected{R"(tool_call_args {"tool_call_id":"call_01KHF0000070008000000000R1","args_delta":"{}"})"};
  EXPECT_EQ(take(), expected);
  put(ToolCallReady{kCall, "search", ""});
  EXPECT_EQ(take(), expected) << "an old log";
}

TEST_F(ChatProjectionTest, OnlyOkIsSuccess) {
  for (const auto status : {ToolStatus::kToolError, ToolStatus::kInvalidArguments, ToolStatus::kTimeout,
                            ToolStatus::kOutcomeUnknown, ToolStatus::kCancelled}) {
    begin_call();
    take();
    put(ToolFinished{.call_id = kCall, .name = "search", .status = status});
    EXPECT_EQ(take(), Lines{kEndError});
  }
}

TEST_F(ChatProjectionTest, ARefusedCallEndsWithAnError) {
  for (const char* reason : {"user_rejected", "denied", "timeout", "interrupted", "No."}) {
    begin_call();
    take();
    put(InputRequested{.call_id = kCall, .tool_name = "search"});
    put(InputGiven{.call_id = kCall, .verdict = Verdict::kRejected, .reason = reason});
    EXPECT_EQ(take(), Lines{kEndError}) << reason;
  }
}

TEST_F(ChatProjectionTest, AnApprovalIsNotShown) {
  begin_call();
  take();
  put(InputRequested{.call_id = kCall, .tool_name = "search"});
  put(InputGiven{.call_id = kCall, .verdict = Verdict::kApproved});
  EXPECT_EQ(take(), Lines{});
  put(ToolFinished{.call_id = kCall, .name = "search"});
  EXPECT_EQ(take(), Lines{kEndSuccess});
}

TEST_F(ChatProjectionTest, AnAbandonedCallEndsWithAnError) {
  begin_call();
  put(ToolArgsDelta{kCall, "{\"q"});
  take();
  put(ToolCallAbandoned{kCall, "the answer was cut"});
  EXPECT_EQ(take(), Lines{kEndError});
}

TEST_F(ChatProjectionTest, WhatBeginsEndsOnce) {
  begin_call();
  take();
  put(ToolFinished{.call_id = kCall, .name = "search"});
  put(ToolFinished{.call_id = kCall, .name = "search"});
  put(ToolCallAbandoned{kCall, "x"});
  put(ToolArgsDelta{kCall, "x"});
  EXPECT_EQ(take(), Lines{kEndSuccess});
}

TEST_F(ChatProjectionTest, TheEnginesOwnToolsAreNotShown) {
  for (const char* name : {"set_tasks", "fail_task", "final_answer"}) {
    begin_call(name);
    put(ToolArgsDelta{kCall, "{}"});
    put(ToolCallReady{kCall, name, "{}"});
    put(ToolFinished{.call_id = kCall, .name = name});
    begin_call(name);
    put(ToolCallAbandoned{kCall, "x"});
    begin_call(name);
    put(InputGiven{.call_id = kCall, .verdict = Verdict::kRejected});
  }
  EXPECT_EQ(take(), Lines{});
}

TEST_F(ChatProjectionTest, TheEndCountsTokensAndTime) {
  put(RunCompleted{.usage = Usage{.input_tokens = 150, .output_tokens = 75}});
  EXPECT_EQ(take(), Lines{R"(stream_end {"message_id":"01KHF0000070008000000000M2",)"
                          R"("tokens_used":{"prompt_tokens":150,"completion_tokens":75,"total_tokens":225},)"
                          R"("execution_time_ms":1250})"});
}

TEST_F(ChatProjectionTest, TokensThatNobodyReportedAreNull) {
  put(RunCompleted{});
  EXPECT_EQ(take(), Lines{R"(stream_end {"message_id":"01KHF0000070008000000000M2","tokens_used":null,)"
                          R"("execution_time_ms":1250})"});
}

TEST_F(ChatProjectionTest, Failures) {
  put(RunFailed{FailureCode::kProviderTimeout, "LLM provider timeout"});
  EXPECT_EQ(take(), Lines{R"(error {"type":"https://holodeck.dev/errors/agent-error","title":"Agent Error",)"
                          R"("status":500,"detail":"LLM provider timeout"})"});
  put(RunFailed{FailureCode::kProvider, std::string(100, 'x')});
  EXPECT_NE(take().at(0).find(std::string(64, 'x') + "\u2026 [cut: 36 bytes]\""), std::string::npos);
}

TEST_F(ChatProjectionTest, Interruptions) {
  put(RunInterrupted{"client_gone"});
  EXPECT_EQ(take(), Lines{R"(error {"type":"https://holodeck.dev/errors/interrupted","title":"Interrupted",)"
                          R"("status":499,"detail":"The run was interrupted: client_gone"})"});
  put(RunInterrupted{"server_stopping"});
  EXPECT_EQ(take(), Lines{R"(error {"type":"https://holodeck.dev/errors/unavailable","title":"Unavailable",)"
                          R"("status":503,"detail":"The server is stopping; try again later"})"});
}

template <std::size_t... I>
std::vector<RunEventBody> one_of_each(std::index_sequence<I...>) {
  return {RunEventBody(std::in_place_index<I>)...};
}

// The table of README.md, row by row: everything that is not here makes no frame. Those of calls are for calls that
// began, and the nil call began with tool.call.started.
TEST_F(ChatProjectionTest, TheOtherEventsMakeNoFrame) {
  const std::vector<std::string_view> shown{"run.started",         "tool.call.started", "tool.call.ready",
                                            "tool.call.abandoned", "run.completed",     "run.failed",
                                            "run.interrupted"};
  for (auto& body : one_of_each(std::make_index_sequence<std::variant_size_v<RunEventBody>>())) {
    const auto name = name_of(type_of(body));
    frames.clear();
    put(std::move(body));
    EXPECT_EQ(frames.marks.size(), std::ranges::count(shown, name) != 0 ? 1u : 0u) << name;
  }
}

}  // namespace
}  // namespace braidlog::chat
