#include "dialect/runs/projection.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "dialect/event_id.h"
#include "event/event_type.h"
#include "wire/sse.h"

namespace braidlog::runs {
namespace {

const RunId kRunId = *RunId::parse("run_01KHF0000070008000000000R1");
const SessionId kSessionId = *SessionId::parse("sess_01KHF0000070008000000000S1");
const ToolCallId kCall = ToolCallId{kRunId.value};
const ApprovalId kApprovalId = *ApprovalId::parse("appr_01KHF0000070008000000000A1");

class RunsProjectionTest : public ::testing::Test {
 protected:
  RunsProjection projection{kRunId, 64};
  Frames frames;
  std::uint64_t sequence = 0;

  RunsProjectionTest() {
    RunQueued queued;
    queued.session_id = kSessionId;
    put(queued);
  }
  void put(RunEventBody body) {
    RunEvent event;
    event.sequence = {++sequence};
    event.at = {1'771'102'980'000};
    event.body = std::move(body);
    projection.project(event, frames);
  }
  std::vector<SseEvent> read() const {
    std::vector<SseEvent> events;
    SseReader reader(1 << 24);
    EXPECT_TRUE(reader.feed(frames.bytes, [&](SseEvent&& e) { events.push_back(std::move(e)); }));
    return events;
  }
  // The payload of the only frame, as JSON text.
  std::string payload() const {
    const auto events = read();
    EXPECT_EQ(events.size(), 1u);
    if (events.empty()) return {};
    const auto data = parse_json(events.front().data);
    EXPECT_TRUE(data) << events.front().data;
    return data ? to_json(data->at("payload")) : std::string();
  }
};

TEST_F(RunsProjectionTest, TheFrameIsAsTheContractWritesIt) {
  put(RunStarted{.session_id = kSessionId});
  EXPECT_EQ(frames.bytes,
            "event: run_started\n"
            "id: evt_01KHF0000070008000000000R1_0000000002\n"
            "data: {\"event_id\":\"evt_01KHF0000070008000000000R1_0000000002\","
            "\"session_id\":\"sess_01KHF0000070008000000000S1\",\"run_id\":\"run_01KHF0000070008000000000R1\","
            "\"type\":\"run_started\",\"ts\":\"2026-02-14T21:03:00.000Z\",\"payload\":{\"status\":\"running\"}}"
            "\n\n");
  ASSERT_EQ(frames.marks.size(), 1u);
  EXPECT_EQ(frames.marks[0].position, (FramePosition{{2}, 0}));
  EXPECT_EQ(frames.marks[0].end, frames.bytes.size());
}

TEST_F(RunsProjectionTest, TheIdIsOneThatCanBeResumedFrom) {
  put(TextDelta{1, 1, "a"});
  EXPECT_EQ(parse_event_id(read().at(0).last_id), (EventId{kRunId, {2}, std::nullopt}));
}

TEST_F(RunsProjectionTest, AnEmptyDeltaMakesNoFrame) {
  put(TextDelta{1, 1, ""});
  EXPECT_TRUE(frames.empty());
  EXPECT_TRUE(frames.bytes.empty());
}

TEST_F(RunsProjectionTest, DeltasAreNeverCut) {
  const std::string text(1000, 'x');
  put(TextDelta{1, 1, text});
  EXPECT_EQ(payload(), "{\"text\":\"" + text + "\"}");
}

TEST_F(RunsProjectionTest, NoTextCanForgeAFrame) {
  const std::string text =
      "a\nb\r\nc\rdata: x\n\nevent: run_completed\ndata: {}\n\n\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\"\\\x01\x7f";
  put(TextDelta{1, 1, text});
  for (const char* raw : {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9", "\r"}) {
    EXPECT_EQ(frames.bytes.find(raw), std::string::npos);
  }
  EXPECT_NE(frames.bytes.find("\\u0085\\u2028\\u2029"), std::string::npos);
  const auto events = read();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(parse_json(events[0].data)->at("payload").at("text").as_string(), text);
}

TEST_F(RunsProjectionTest, AnyTextComesOutExactly) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = to_valid_utf8(*rc::gen::arbitrary<std::string>());
    RunsProjection one{kRunId, 64};
    Frames out;
    one.project({{2}, {0}, 0, TextDelta{1, 1, text}}, out);
    std::vector<SseEvent> events;
    SseReader reader(1 << 24);
    RC_ASSERT(reader.feed(out.bytes, [&](SseEvent&& e) { events.push_back(std::move(e)); }));
    RC_ASSERT(events.size() == (text.empty() ? 0u : 1u));
    if (text.empty()) return;
    RC_ASSERT(events[0].type == "assistant_delta");
    RC_ASSERT(std::string(parse_json(events[0].data)->at("payload").at("text").as_string()) == text);
  }));
}

TEST_F(RunsProjectionTest, AProposalShowsTheWholeArguments) {
  const std::string args = "{\"path\":\"" + std::string(500, 'p') + "\"}";
  put(InputRequested{.input_id = kApprovalId, .call_id = kCall, .tool_name = "file_write", .args_json = args});
  EXPECT_EQ(payload(),
            R"({"approval_id":"appr_01KHF0000070008000000000A1","tool_name":"file_write","args":)" + args + "}");
}

TEST_F(RunsProjectionTest, AnApprovedCallNamesItsApproval) {
  put(InputGiven{.input_id = kApprovalId, .call_id = kCall});
  EXPECT_EQ(payload(), R"({"approval_id":"appr_01KHF0000070008000000000A1"})");
  frames.clear();
  put(ToolFinished{.call_id = kCall, .name = "file_write", .text = "ok"});
  EXPECT_EQ(payload(),
            R"({"tool_name":"file_write","success":true,"result":"ok",)"
            R"("tool_call_id":"call_01KHF0000070008000000000R1","approval_id":"appr_01KHF0000070008000000000A1"})");
  frames.clear();
  put(ToolFinished{.call_id = kCall, .name = "file_write", .text = "ok"});
  EXPECT_EQ(payload().find("approval_id"), std::string::npos) << "forgotten with the call";
}

TEST_F(RunsProjectionTest, ARejectedCallSaysWhy) {
  put(InputGiven{.input_id = kApprovalId, .call_id = kCall, .verdict = Verdict::kRejected, .reason = "user_rejected"});
  EXPECT_EQ(payload(), R"({"approval_id":"appr_01KHF0000070008000000000A1","reason":"user_rejected"})");
}

TEST_F(RunsProjectionTest, OnlyOkIsSuccess) {
  for (const auto status : {ToolStatus::kToolError, ToolStatus::kInvalidArguments, ToolStatus::kTimeout,
                            ToolStatus::kOutcomeUnknown, ToolStatus::kCancelled}) {
    frames.clear();
    put(ToolFinished{.call_id = kCall, .name = "t", .status = status, .text = "no"});
    EXPECT_EQ(payload(),
              R"({"tool_name":"t","success":false,"result":"no","tool_call_id":"call_01KHF0000070008000000000R1"})");
  }
}

TEST_F(RunsProjectionTest, TheEnginesOwnToolsAreNotShown) {
  for (const char* name : {"set_tasks", "fail_task", "final_answer"}) put(ToolFinished{.call_id = kCall, .name = name});
  EXPECT_TRUE(frames.empty());
}

TEST_F(RunsProjectionTest, LongTextsAreCutWithAMark) {
  const std::string text = std::string(63, 'x') + "\u20ac" + std::string(10, 'y');
  const std::string cut = std::string(63, 'x') + "\u2026 [cut: 13 bytes]";
  put(ToolFinished{.call_id = kCall, .name = "t", .text = text});
  EXPECT_NE(payload().find("\"result\":\"" + cut + "\""), std::string::npos);
  frames.clear();
  put(RunCompleted{.final_text = text});
  EXPECT_EQ(payload(), R"({"status":"completed","final_text":")" + cut + "\"}");
  frames.clear();
  put(RunFailed{FailureCode::kProvider, text});
  EXPECT_EQ(payload(), R"({"status":"failed","error_code":"PROVIDER_ERROR","message":")" + cut + "\"}");
}

TEST_F(RunsProjectionTest, Endings) {
  put(RunInterrupted{""});
  EXPECT_EQ(payload(), R"({"status":"interrupted"})");
  frames.clear();
  put(RunInterrupted{"session_deleted"});
  EXPECT_EQ(payload(), R"({"status":"interrupted","reason":"session_deleted"})");
  frames.clear();
  put(RunCompleted{.final_text = "Done."});
  EXPECT_EQ(payload(), R"({"status":"completed","final_text":"Done."})");
}

template <std::size_t... I>
std::vector<RunEventBody> one_of_each(std::index_sequence<I...>) {
  return {RunEventBody(std::in_place_index<I>)...};
}

// The table of README.md, row by row: everything that is not here makes no frame.
TEST_F(RunsProjectionTest, TheOtherEventsMakeNoFrame) {
  const std::vector<std::string_view> shown{"run.started",   "input.requested", "input.given",    "tool.finished",
                                            "run.completed", "run.failed",      "run.interrupted"};
  for (auto& body : one_of_each(std::make_index_sequence<std::variant_size_v<RunEventBody>>())) {
    const auto name = name_of(type_of(body));
    frames.clear();
    put(std::move(body));
    EXPECT_EQ(frames.marks.size(), std::ranges::count(shown, name) != 0 ? 1u : 0u) << name;
  }
}

}  // namespace
}  // namespace braidlog::runs
