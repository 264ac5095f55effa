#include "dialect/conversation/projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "dialect/event_id.h"
#include "event/event_type.h"
#include "wire/sse.h"

namespace braidlog::conversation {
namespace {

const RunId kRunId = *RunId::parse("run_01KHF0000070008000000000R1");
const SessionId kSessionId = *SessionId::parse("sess_01KHF0000070008000000000S1");
const ToolCallId kCall = ToolCallId{kRunId.value};
constexpr char kCallText[] = "call_01KHF0000070008000000000R1";

class ConversationProjectionTest : public ::testing::Test {
 protected:
  ConversationProjection projection{kRunId, 64};
  Frames frames;
  std::uint64_t sequence = 0;
  std::uint32_t elapsed = 0;

  ConversationProjectionTest() { put(RunQueued{.session_id = kSessionId}); }
  void put(RunEventBody body, std::uint32_t after_ms = 0) {
    elapsed += after_ms;
    RunEvent event;
    event.sequence = {++sequence};
    event.at = {1'771'102'980'000};
    event.elapsed_ms = elapsed;
    event.body = std::move(body);
    if (projection.needs_history(event)) projection.take_history(std::make_shared<api::SessionView>());
    projection.project(event, frames);
  }
  // The data of the frames since the last look.
  std::vector<std::string> shown() {
    std::vector<std::string> data;
    SseReader reader(1 << 24);
    EXPECT_TRUE(reader.feed(frames.bytes, [&](SseEvent&& e) { data.push_back(e.data); }));
    EXPECT_EQ(data.size(), frames.marks.size());
    frames.clear();
    return data;
  }
  using Lines = std::vector<std::string>;

  void make_ready(std::string args = R"({"priority":"high"})") {
    put(ToolCallReady{.call_id = kCall, .name = "alert_admin", .args_json = std::move(args)});
    EXPECT_TRUE(frames.empty());
  }
  static std::string call_fields(const char* type) {
    return "{\"type\":\"" + std::string(type) + "\",\"tool_call_id\":\"" + kCallText +
           "\",\"tool_name\":\"alert_admin\",";
  }
  static std::string start_line(const char* args = R"({"priority":"high"})") {
    return call_fields("tool_start") + "\"args\":" + args + R"(,"ts":"2026-02-14T21:03:00.000Z"})";
  }
  static std::string error_line(int duration, const char* message, const char* kind) {
    return call_fields("tool_error") + R"("status":"error","duration_ms":)" + std::to_string(duration) +
           R"(,"error":{"message":")" + message + R"(","kind":")" + kind + R"("},"ts":"2026-02-14T21:03:00.000Z"})";
  }
};

TEST_F(ConversationProjectionTest, TheFrameIsAsTheContractWritesIt) {
  put(TextDelta{1, 1, "I "});
  EXPECT_EQ(frames.bytes,
            "id: evt_01KHF0000070008000000000R1_0000000002\ndata: {\"type\":\"token\",\"content\":\"I \"}\n\n");
  ASSERT_EQ(frames.marks.size(), 1u);
  EXPECT_EQ(frames.marks[0].position, (FramePosition{{2}, 0}));
}

TEST_F(ConversationProjectionTest, Start) {
  put(RunStarted{.session_id = kSessionId,
                 .user_id = "user_123",
                 .tool_names = {"alert_admin", "final_answer", "b"},
                 .title = "System Status Check"});
  EXPECT_EQ(shown(), Lines{R"({"type":"start","user_id":"user_123",)"
                           R"("conversation_id":"019c5e00-0000-3800-0400-000000000321",)"
                           R"("conversation_title":"System Status Check","tools_enabled":true,)"
                           R"("tool_names":["alert_admin","b"]})"});
  put(RunStarted{.session_id = kSessionId, .tool_names = {"final_answer"}});
  EXPECT_TRUE(shown().at(0).ends_with(R"("tools_enabled":false,"tool_names":[]})"));
}

TEST_F(ConversationProjectionTest, TokensAreNeverCutAndNeverEmpty) {
  put(TextDelta{1, 1, ""});
  EXPECT_TRUE(frames.empty());
  const std::string text(1000, 'x');
  put(TextDelta{1, 1, text});
  EXPECT_EQ(shown(), Lines{"{\"type\":\"token\",\"content\":\"" + text + "\"}"});
}

TEST_F(ConversationProjectionTest, ACallThatSucceeds) {
  make_ready();
  put(ToolStarted{.call_id = kCall, .name = "alert_admin", .display = "Alerting admin..."}, 10);
  EXPECT_EQ(shown(),
            Lines{call_fields("tool_start") +
                  R"("args":{"priority":"high"},"ts":"2026-02-14T21:03:00.000Z","display":"Alerting admin..."})"});
  put(ToolFinished{.call_id = kCall,
                   .name = "alert_admin",
                   .value_json = R"({"status":"sent","ticket_id":42})",
                   .text = "sent",
                   .display = "Admin alerted successfully"},
      150);
  EXPECT_EQ(shown(), Lines{call_fields("tool_end") +
                           R"("status":"success","duration_ms":150,"result":{"status":"sent","ticket_id":42},)"
                           R"("ts":"2026-02-14T21:03:00.000Z","display":"Admin alerted successfully"})"});
}

TEST_F(ConversationProjectionTest, DisplayIsOptionalAndAMissingValueIsNull) {
  make_ready();
  put(ToolStarted{.call_id = kCall, .name = "alert_admin"});
  EXPECT_EQ(shown(), Lines{start_line()});
  put(ToolFinished{.call_id = kCall, .name = "alert_admin"});
  EXPECT_TRUE(shown().at(0).ends_with(R"("duration_ms":0,"result":null,"ts":"2026-02-14T21:03:00.000Z"})"));
}

TEST_F(ConversationProjectionTest, EveryWayToFailHasItsKind) {
  const std::pair<ToolStatus, const char*> rows[] = {{ToolStatus::kToolError, "ToolError"},
                                                     {ToolStatus::kInvalidArguments, "ValidationError"},
                                                     {ToolStatus::kTimeout, "TimeoutError"},
                                                     {ToolStatus::kOutcomeUnknown, "OutcomeUnknown"},
                                                     {ToolStatus::kCancelled, "ToolError"}};
  for (const auto& [status, kind] : rows) {
    make_ready();
    put(ToolStarted{.call_id = kCall, .name = "alert_admin"});
    shown();
    put(ToolFinished{.call_id = kCall, .name = "alert_admin", .status = status, .text = "no", .display = "x"}, 7);
    EXPECT_EQ(shown(), Lines{error_line(7, "no", kind)});
  }
}

TEST_F(ConversationProjectionTest, ACallThatNeverStartedIsShownWithItsStart) {
  make_ready();
  elapsed += 500;
  put(ToolFinished{.call_id = kCall, .name = "alert_admin", .status = ToolStatus::kInvalidArguments, .text = "no"});
  EXPECT_EQ(frames.marks.at(0).position, (FramePosition{{sequence}, 0}));
  EXPECT_EQ(frames.marks.at(1).position, (FramePosition{{sequence}, 1}));
  EXPECT_NE(frames.bytes.find("_0000000003.c0\n"), std::string::npos);
  EXPECT_NE(frames.bytes.find("_0000000003.c1\n"), std::string::npos);
  EXPECT_EQ(shown(), (Lines{start_line(), error_line(0, "no", "ValidationError")}));
}

TEST_F(ConversationProjectionTest, ARefusedCallIsShownAsDenied) {
  const std::pair<const char*, const char*> rows[] = {
      {"user_rejected", "The user rejected this tool call; it was not run."},
      {"denied", "This tool call was refused by policy and was not run."},
      {"timeout", "Nobody approved this tool call in time; it was not run."},
      {"Too risky", "The user rejected this tool call; it was not run. Reason: …"}};
  for (const auto& [reason, message] : rows) {
    make_ready();
    put(InputGiven{.call_id = kCall, .verdict = Verdict::kRejected, .reason = reason}, 30);
    const auto lines = shown();
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0], start_line());
    const auto error = parse_json(lines[1]);
    EXPECT_EQ(error->at("error").at("kind").as_string(), "PermissionDenied");
    EXPECT_TRUE(error->at("error").at("message").as_string().starts_with(std::string_view(message).substr(0, 40)));
    EXPECT_EQ(error->at("duration_ms").as_int64(), 0);
  }
}

TEST_F(ConversationProjectionTest, ACallThatTheEndOfTheRunRefusedShowsNothing) {
  make_ready();
  put(InputGiven{.call_id = kCall, .verdict = Verdict::kRejected, .reason = "interrupted"});
  EXPECT_TRUE(frames.empty());
  make_ready();
  put(InputGiven{.call_id = kCall, .verdict = Verdict::kRejected, .reason = "interrupted", .user_id = "ann"});
  EXPECT_EQ(shown().size(), 2u) << "a person who says so refused it";
}

TEST_F(ConversationProjectionTest, ApprovalIsAskedForInAWarning) {
  put(InputRequested{.call_id = kCall, .tool_name = "file_write", .decided_by_policy = true});
  put(InputGiven{.call_id = kCall});
  EXPECT_TRUE(frames.empty());
  put(InputRequested{.call_id = kCall, .tool_name = "file_write"});
  EXPECT_EQ(shown(), Lines{R"({"type":"warning","code":"approval_required",)"
                           R"("message":"The tool file_write needs approval before it can run."})"});
}

TEST_F(ConversationProjectionTest, SecretsAreNotShown) {
  make_ready(R"({"api_key":"sk-1"})");
  put(ToolStarted{.call_id = kCall, .name = "alert_admin"});
  EXPECT_EQ(shown(), Lines{start_line(R"({"api_key":"[REDACTED]"})")});
  put(ToolFinished{.call_id = kCall, .name = "alert_admin", .value_json = R"({"token":"t"})"});
  EXPECT_NE(shown().at(0).find(R"("result":{"token":"[REDACTED]"})"), std::string::npos);
  make_ready("{}");
  put(ToolFinished{
      .call_id = kCall, .name = "alert_admin", .status = ToolStatus::kToolError, .text = R"({"password":"p"})"});
  EXPECT_NE(shown().at(1).find(R"({\"password\":\"[REDACTED]\"})"), std::string::npos);
}

TEST_F(ConversationProjectionTest, ACallIsForgottenWhenItIsOver) {
  const auto start_again = [&] {
    put(ToolStarted{.call_id = kCall, .name = "alert_admin"});
    EXPECT_EQ(shown(), Lines{start_line("{}")}) << "nothing is known of it any more";
    put(ToolFinished{.call_id = kCall, .name = "alert_admin"});
    frames.clear();
  };
  make_ready();
  put(ToolCallAbandoned{.call_id = kCall});
  start_again();
  make_ready();
  put(InputGiven{.call_id = kCall, .verdict = Verdict::kRejected, .reason = "interrupted"});
  start_again();
  make_ready();
  put(ToolFinished{.call_id = kCall, .name = "alert_admin"});
  frames.clear();
  start_again();
}

TEST_F(ConversationProjectionTest, AStartIsShownOnce) {
  make_ready();
  put(ToolStarted{.call_id = kCall, .name = "alert_admin"});
  put(ToolStarted{.call_id = kCall, .name = "alert_admin"});
  EXPECT_EQ(shown().size(), 1u);
}

TEST_F(ConversationProjectionTest, TheEnginesOwnToolsAreNotShown) {
  for (const char* name : {"set_tasks", "fail_task", "final_answer"}) {
    put(ToolCallReady{.call_id = kCall, .name = name, .args_json = "{}"});
    put(InputRequested{.call_id = kCall, .tool_name = name});
    put(InputGiven{.call_id = kCall, .verdict = Verdict::kRejected, .reason = "no"});
    put(ToolStarted{.call_id = kCall, .name = name});
    put(ToolFinished{.call_id = kCall, .name = name});
  }
  EXPECT_TRUE(frames.empty());
}

TEST_F(ConversationProjectionTest, TheEndShowsAsManyMessagesAsWereThere) {
  RunEvent event{{9}, {1'771'102'985'000}, 5'000, RunCompleted{.message_position = 2, .title = "Title"}};
  const auto need = projection.needs_history(event);
  ASSERT_TRUE(need);
  EXPECT_EQ(need->session_id, kSessionId);
  EXPECT_EQ(need->message_count, 2u);
  api::SessionView view;
  for (const char* content : {"a", "b", "later"}) {
    view.messages.push_back({.role = "user", .content = content, .created_at = {1'771'102'980'000}});
  }
  projection.take_history(std::make_shared<api::SessionView>(view));
  projection.project(event, frames);
  EXPECT_NE(frames.bytes.find("_0000000009.c0\n"), std::string::npos);
  EXPECT_NE(frames.bytes.find("_0000000009.c1\n"), std::string::npos);
  EXPECT_EQ(shown(), (Lines{R"({"type":"conversation","conversation":{"id":"019c5e00-0000-3800-0400-000000000321",)"
                            R"("title":"Title","updated_at":"2026-02-14T21:03:05.000Z","conversation":[)"
                            R"({"role":"user","content":"a","created_at":"2026-02-14T21:03:00.000Z"},)"
                            R"({"role":"user","content":"b","created_at":"2026-02-14T21:03:00.000Z"}]}})",
                            R"({"type":"done"})"}));
}

// What a run tells of itself is what the store would.
TEST_F(ConversationProjectionTest, AConversationThatBeginsWithTheRunNeedsNoHistory) {
  put(RunStarted{.session_id = kSessionId, .text = "What's up?", .message_position = 1});
  frames.clear();
  RunEvent event{{9}, {1'771'102'985'000}, 5'000, RunCompleted{.message_text = "All \"well\".", .message_position = 2}};
  ASSERT_FALSE(projection.needs_history(event));
  projection.project(event, frames);
  const Lines own = shown();

  ConversationProjection other(kRunId, 64);
  other.project({{1}, {0}, 0, RunQueued{.session_id = kSessionId}}, frames);
  frames.clear();
  ASSERT_TRUE(other.needs_history(event));
  api::SessionView view;
  view.messages = {{.role = "user", .content = "What's up?", .created_at = {1'771'102'980'000}},
                   {.role = "assistant", .content = "All \"well\".", .created_at = {1'771'102'985'000}}};
  other.take_history(std::make_shared<api::SessionView>(view));
  other.project(event, frames);
  EXPECT_EQ(own, shown());

  // An answer without text is no message; then the store knows what there is.
  event.body = RunCompleted{.message_position = 1};
  EXPECT_TRUE(projection.needs_history(event));
}

TEST_F(ConversationProjectionTest, OnlyTheGoodEndNeedsHistory) {
  EXPECT_FALSE(projection.needs_history({{2}, {0}, 0, RunFailed{}}));
  EXPECT_FALSE(projection.needs_history({{2}, {0}, 0, RunInterrupted{}}));
  EXPECT_FALSE(projection.needs_history({{2}, {0}, 0, TextDelta{}}));
}

TEST_F(ConversationProjectionTest, BadEndings) {
  put(RunFailed{FailureCode::kProvider, "The model is away"});
  EXPECT_EQ(shown(), Lines{R"({"type":"error","message":"The model is away"})"});
  put(RunFailed{FailureCode::kProvider, ""});
  EXPECT_EQ(shown(), Lines{R"({"type":"error","message":"Something went wrong"})"});
  put(RunInterrupted{"session_deleted"});
  EXPECT_EQ(shown(), Lines{R"({"type":"error","message":"Run interrupted"})"});
}

template <std::size_t... I>
std::vector<RunEventBody> one_of_each(std::index_sequence<I...>) {
  return {RunEventBody(std::in_place_index<I>)...};
}

// The table of README.md, row by row: everything that is not here makes no frame.
TEST_F(ConversationProjectionTest, TheOtherEventsMakeNoFrame) {
  const std::pair<std::string_view, std::size_t> rows[] = {
      {"run.started", 1}, {"input.requested", 1}, {"tool.started", 1}, {"tool.finished", 1},
      {"warning", 1},     {"run.completed", 2},   {"run.failed", 1},   {"run.interrupted", 1}};
  for (auto& body : one_of_each(std::make_index_sequence<std::variant_size_v<RunEventBody>>())) {
    const auto name = name_of(type_of(body));
    const auto* row = std::ranges::find(rows, name, &std::pair<std::string_view, std::size_t>::first);
    frames.clear();
    put(std::move(body));
    EXPECT_EQ(frames.marks.size(), row == std::end(rows) ? 0u : row->second) << name;
  }
}

}  // namespace
}  // namespace braidlog::conversation
