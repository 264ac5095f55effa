#include "dialect/steps/projection.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "dialect/event_id.h"
#include "event/event_type.h"
#include "wire/sse.h"

namespace braidlog::steps {
namespace {

const RunId kRunId = *RunId::parse("run_01KHF0000070008000000000R1");

class StepsProjectionTest : public ::testing::Test {
 protected:
  StepsProjection projection{kRunId, 64};
  Frames frames;
  std::uint64_t sequence = 0;

  void put(RunEventBody body) {
    RunEvent event;
    event.sequence = {++sequence};
    event.at = {1'771'102'980'000};
    event.body = std::move(body);
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
};

constexpr char kDone[] = R"({"type":"done"})";

TEST_F(StepsProjectionTest, TheFrameIsAsTheContractWritesIt) {
  put(RunStarted{.text = "List S3 buckets"});
  EXPECT_EQ(frames.bytes,
            "id: evt_01KHF0000070008000000000R1_0000000001\n"
            "data: {\"type\":\"message\",\"role\":\"user\",\"content\":\"List S3 buckets\","
            "\"timestamp\":\"2026-02-14T21:03:00.000Z\"}\n\n");
  ASSERT_EQ(frames.marks.size(), 1u);
  EXPECT_EQ(frames.marks[0].position, (FramePosition{{1}, 0}));
}

TEST_F(StepsProjectionTest, ARunWithoutTextHasAMessageToo) {
  put(RunStarted{});
  EXPECT_EQ(shown(), Lines{R"({"type":"message","role":"user","content":"","timestamp":"2026-02-14T21:03:00.000Z"})"});
}

TEST_F(StepsProjectionTest, APlan) {
  put(PlanMade{.step_number = 1, .text = "Look, then count."});
  put(PlanMade{.step_number = 4, .text = "", .usage = Usage{.input_tokens = 150, .output_tokens = 50}});
  EXPECT_EQ(shown(), (Lines{R"({"type":"step","step_type":"planning","step_number":1,"plan":"Look, then count."})",
                            R"({"type":"step","step_type":"planning","step_number":4,"plan":"",)"
                            R"("token_usage":{"input_tokens":150,"output_tokens":50,"total_tokens":200}})"}));
}

TEST_F(StepsProjectionTest, AnActionOfCode) {
  put(StepFinished{.step_number = 2,
                   .model_output = "I look.",
                   .code_action = "print(1)\n",
                   .observations = "1\n",
                   .usage = Usage{.input_tokens = 1, .output_tokens = 2, .cached_input_tokens = 9}});
  EXPECT_EQ(shown(), Lines{R"({"type":"step","step_type":"action","step_number":2,"model_output":"I look.",)"
                           R"("code_action":"print(1)\n","observations":"1\n","error":null,)"
                           R"("token_usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}})"});
}

TEST_F(StepsProjectionTest, AnActionOfToolCallsHasNoCode) {
  put(StepFinished{.step_number = 1, .observations = "84", .error = "one of two failed"});
  EXPECT_EQ(shown(), Lines{R"({"type":"step","step_type":"action","step_number":1,"model_output":"",)"
                           R"("code_action":null,"observations":"84","error":"one of two failed"})"});
}

TEST_F(StepsProjectionTest, TheAnswerHasTheNextNumber) {
  put(RunCompleted{.final_text = "Hello"});
  EXPECT_NE(frames.bytes.find("_0000000001.s0\n"), std::string::npos);
  EXPECT_NE(frames.bytes.find("_0000000001.s1\n"), std::string::npos);
  EXPECT_EQ(frames.marks.at(0).position, (FramePosition{{1}, 0}));
  EXPECT_EQ(frames.marks.at(1).position, (FramePosition{{1}, 1}));
  EXPECT_EQ(shown(), (Lines{R"({"type":"final","step_number":1,"output":"Hello"})", kDone}));
  put(PlanMade{.step_number = 1});
  put(StepFinished{.step_number = 2});
  shown();
  put(RunCompleted{.final_text = "Hello"});
  EXPECT_EQ(shown(), (Lines{R"({"type":"final","step_number":3,"output":"Hello"})", kDone}));
}

TEST_F(StepsProjectionTest, TheAnswerIsTheValueThatTheAgentGave) {
  const std::pair<const char*, const char*> rows[] = {{"42", "42"},
                                                      {"\"42\"", "\"42\""},
                                                      {R"({"a":[1,null]})", R"({"a":[1,null]})"},
                                                      {"null", "null"},
                                                      {"true", "true"},
                                                      {"[ 1 , 2 ]", "[1,2]"},
                                                      {"\"\u2028\"", R"("\u2028")"}};
  for (const auto& [json, told] : rows) {
    put(RunCompleted{.final_text = "the text", .final_json = json});
    EXPECT_EQ(shown().at(0), R"({"type":"final","step_number":1,"output":)" + std::string(told) + "}");
  }
  put(RunCompleted{.final_text = "the text", .final_json = "no json"});
  EXPECT_EQ(shown().at(0), R"({"type":"final","step_number":1,"output":"the text"})") << "never a broken frame";
}

TEST_F(StepsProjectionTest, BadEndings) {
  put(RunFailed{FailureCode::kProvider, "The model is away"});
  EXPECT_EQ(shown(), (Lines{R"({"type":"error","error":"The model is away"})", kDone}));
  put(RunFailed{FailureCode::kProvider, ""});
  EXPECT_EQ(shown(), (Lines{R"({"type":"error","error":"Something went wrong"})", kDone}));
  put(RunInterrupted{"session_deleted"});
  EXPECT_EQ(frames.marks.at(1).position, (FramePosition{{sequence}, 1}));
  EXPECT_EQ(shown(), (Lines{R"({"type":"error","error":"Run interrupted"})", kDone}));
}

TEST_F(StepsProjectionTest, LongTextsAreCutWithAMark) {
  const std::string text = std::string(63, 'x') + "\u20ac" + std::string(10, 'y');
  const std::string cut = "\"" + std::string(63, 'x') + "\u2026 [cut: 13 bytes]\"";
  put(RunStarted{.text = text});
  put(PlanMade{.step_number = 1, .text = text});
  put(StepFinished{.step_number = 2, .model_output = text, .code_action = text, .observations = text, .error = text});
  put(RunFailed{FailureCode::kProvider, text});
  put(RunCompleted{.final_text = text});
  put(RunCompleted{.final_text = text, .final_json = "\"" + text + "\""});
  const auto lines = shown();
  const std::pair<std::size_t, std::vector<const char*>> rows[] = {
      {0, {"content"}}, {1, {"plan"}},   {2, {"model_output", "code_action", "observations", "error"}},
      {3, {"error"}},   {5, {"output"}}, {7, {"output"}}};
  for (const auto& [line, keys] : rows) {
    for (const char* key : keys) {
      EXPECT_NE(lines.at(line).find("\"" + std::string(key) + "\":" + cut), std::string::npos) << lines.at(line);
    }
  }
}

TEST_F(StepsProjectionTest, AValueThatIsTooLongIsShownAsItsText) {
  const std::string list = "[" + std::string(62, '1') + "]";
  put(RunCompleted{.final_json = list});
  EXPECT_TRUE(shown().at(0).ends_with("\"output\":[1.1111111111111111e+61]}")) << "a number beyond 64 bits is a double";
  std::string long_list = "[1";
  for (int i = 0; i < 40; ++i) long_list += ",2";
  put(RunCompleted{.final_json = long_list + "]"});
  EXPECT_TRUE(shown().at(0).ends_with("\"output\":\"" + long_list.substr(0, 64) + "\u2026 [cut: 19 bytes]\"}"));
}

TEST_F(StepsProjectionTest, AnyTextComesOutExactly) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = to_valid_utf8(*rc::gen::arbitrary<std::string>());
    StepsProjection one{kRunId, 1 << 20};
    Frames out;
    one.project({{2}, {0}, 0, StepFinished{.step_number = 1, .observations = text, .error = text}}, out);
    std::vector<SseEvent> events;
    SseReader reader(1 << 24);
    RC_ASSERT(reader.feed(out.bytes, [&](SseEvent&& e) { events.push_back(std::move(e)); }));
    RC_ASSERT(events.size() == 1u);
    const auto data = parse_json(events[0].data);
    RC_ASSERT(std::string(data->at("observations").as_string()) == text);
    RC_ASSERT(std::string(data->at("error").as_string()) == text);
  }));
}

template <std::size_t... I>
std::vector<RunEventBody> one_of_each(std::index_sequence<I...>) {
  return {RunEventBody(std::in_place_index<I>)...};
}

// The table of README.md, row by row: everything that is not here makes no frame.
TEST_F(StepsProjectionTest, TheOtherEventsMakeNoFrame) {
  const std::pair<std::string_view, std::size_t> rows[] = {{"run.started", 1},   {"plan.made", 1},
                                                           {"step.finished", 1}, {"run.completed", 2},
                                                           {"run.failed", 2},    {"run.interrupted", 2}};
  for (auto& body : one_of_each(std::make_index_sequence<std::variant_size_v<RunEventBody>>())) {
    const auto name = name_of(type_of(body));
    const auto* row = std::ranges::find(rows, name, &std::pair<std::string_view, std::size_t>::first);
    frames.clear();
    put(std::move(body));
    EXPECT_EQ(frames.marks.size(), row == std::end(rows) ? 0u : row->second) << name;
  }
}

}  // namespace
}  // namespace braidlog::steps
