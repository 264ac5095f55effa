#include "provider/offline/offline_model.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "provider/testing/offline_chat.h"

namespace braidlog::provider {
namespace {

using std::chrono::milliseconds;
using testing::OfflineChat;
using testing::RecordingSink;

class OfflineModelTest : public ::testing::Test {
 protected:
  std::unique_ptr<ModelCall> start(Model& model, std::string text) {
    ModelRequest request;
    request.messages.push_back({.role = ModelMessage::Role::kUser, .text = std::move(text)});
    return model.start(std::move(request), sink_, loop_);
  }

  ::braidlog::testing::FakeClock clock_;
  ::braidlog::testing::FakeLoop loop_{clock_};
  RecordingSink sink_;
};

TEST_F(OfflineModelTest, OneWordPerTick) {
  OfflineModel model;
  const auto call = start(model, "say exactly: one two three");
  EXPECT_EQ(sink_.heard, 0u);
  loop_.run_ready();
  EXPECT_EQ(sink_.text, "one");
  loop_.advance(milliseconds(14));
  EXPECT_EQ(sink_.text, "one");
  loop_.advance(milliseconds(1));
  EXPECT_EQ(sink_.text, "one two");
  loop_.advance(milliseconds(30));
  EXPECT_EQ(sink_.deltas, (std::vector<std::string>{"one", " two", " three"}));
  ASSERT_TRUE(sink_.finished);
  EXPECT_EQ(loop_.timer_count(), 0u);
}

TEST_F(OfflineModelTest, CountsItsWords) {
  OfflineModel model{milliseconds(0)};
  ModelRequest request;
  request.instructions = "You are kind.";
  request.context = "two words";
  request.messages.push_back({.role = ModelMessage::Role::kUser, .text = "say exactly: one  two\nthree"});
  request.tools.push_back({"tool", "does things", "{}"});
  const auto call = model.start(std::move(request), sink_, loop_);
  loop_.run_ready();
  ASSERT_TRUE(sink_.finished && sink_.finished->usage);
  EXPECT_EQ(sink_.finished->usage->input_tokens, 3u + 2 + 5 + 4);
  EXPECT_EQ(sink_.finished->usage->output_tokens, 3u);
}

TEST_F(OfflineModelTest, WithoutPaceStillWordByWordAndInSlices) {
  OfflineModel model{milliseconds(0)};
  const auto call = start(model, "a long story about rivers");
  EXPECT_TRUE(loop_.run_one());
  EXPECT_EQ(sink_.deltas.size(), 64u);
  EXPECT_EQ(loop_.timer_count(), 0u);
  loop_.run_ready();
  EXPECT_GE(sink_.deltas.size(), 400u);
  EXPECT_TRUE(sink_.finished);
}

TEST_F(OfflineModelTest, CancelledItFallsSilent) {
  for (const int pace : {0, 15}) {
    OfflineModel model{milliseconds(pace)};
    auto call = start(model, "a long story about rivers");
    loop_.run_one();
    const auto heard = sink_.heard;
    EXPECT_GT(heard, 0u);
    call.reset();
    loop_.advance(milliseconds(1000));
    EXPECT_EQ(sink_.heard, heard);
    EXPECT_EQ(loop_.timer_count(), 0u);
    sink_ = {};
  }
}

TEST_F(OfflineModelTest, CancelledBeforeTheFirstWord) {
  OfflineModel model;
  start(model, "hello").reset();
  loop_.advance(milliseconds(1000));
  EXPECT_EQ(sink_.heard, 0u);
}

TEST_F(OfflineModelTest, TheSinkMayCancelFromInsideADelta) {
  for (const int pace : {0, 15}) {
    OfflineModel model{milliseconds(pace)};
    auto call = start(model, "a long story about rivers");
    sink_.on_delta = [&] {
      if (sink_.deltas.size() == 3) call.reset();
    };
    loop_.advance(milliseconds(1000));
    EXPECT_EQ(sink_.deltas.size(), 3u);
    sink_ = {};
  }
}

TEST_F(OfflineModelTest, TheSinkMayDestroyTheCallAtItsEnd) {
  OfflineModel model{milliseconds(0)};
  auto call = start(model, "hello");
  sink_.on_end = [&] { call.reset(); };
  loop_.run_ready();
  EXPECT_TRUE(sink_.finished);
  EXPECT_FALSE(call);
}

TEST_F(OfflineModelTest, MadeFromASpec) {
  const auto pace_of = [&](api::ModelSpec spec, std::optional<milliseconds> pace) {
    const auto model = OfflineModel::make(spec, pace).value();
    sink_ = {};
    const auto call = start(*model, "say exactly: one two");
    loop_.run_ready();
    int ticks = 0;
    for (; sink_.deltas.size() < 2; ++ticks) loop_.advance(milliseconds(1));
    return ticks;
  };
  EXPECT_EQ(pace_of({}, std::nullopt), 15);
  EXPECT_EQ(pace_of({}, milliseconds(3)), 3);
  EXPECT_EQ(pace_of({.pace = milliseconds(0)}, milliseconds(3)), 0);
  EXPECT_EQ(OfflineModel::make({.fail = "odd"}).error().code, ErrorCode::kBadField);
  for (const auto& kind : offline_failure_kinds()) EXPECT_TRUE(OfflineModel::make({.fail = kind})) << kind;
}

Failure failure(const char* kind) {
  return parse_failure(kind).value();
}

TEST(OfflineFailure, BeforeTheFirstWord) {
  const std::pair<const char*, ErrorCode> kinds[] = {{"provider_error", ErrorCode::kProvider},
                                                     {"rate_limit", ErrorCode::kProviderRateLimited},
                                                     {"timeout", ErrorCode::kProviderTimeout}};
  for (const auto& [kind, code] : kinds) {
    OfflineChat chat({}, failure(kind));
    const auto turn = chat.ask("hello");
    ASSERT_TRUE(turn.failed) << kind;
    EXPECT_EQ(turn.failed->code, code);
    EXPECT_EQ(turn.heard, 1u);
  }
}

TEST(OfflineFailure, Truncated) {
  OfflineChat chat({}, failure("truncated"));
  const auto turn = chat.ask("hello");
  EXPECT_GT(turn.deltas.size(), 2u);
  EXPECT_EQ(turn.failed.value().code, ErrorCode::kUpstreamTruncated);
}

TEST(OfflineFailure, CutInArguments) {
  OfflineChat chat({"file_write"}, failure("cut_in_args"));
  const auto turn = chat.ask("hello");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_FALSE(parse_json(turn.calls[0].args));
  EXPECT_GT(turn.calls[0].fragments, 1);
  EXPECT_EQ(turn.failed.value().code, ErrorCode::kUpstreamTruncated);
}

TEST(OfflineFailure, BadArgumentsThenANormalAnswer) {
  OfflineChat chat({"file_write"}, failure("bad_args"));
  const auto broken = chat.ask("Write a haiku to a.md");
  ASSERT_EQ(broken.calls.size(), 1u);
  EXPECT_EQ(broken.calls[0].name, "file_write");
  EXPECT_FALSE(parse_json(broken.calls[0].args));
  EXPECT_EQ(broken.finished.value().reason, FinishReason::kToolCalls);
  chat.result("call_1", "the arguments are not JSON");
  const auto second = chat.turn();
  EXPECT_TRUE(second.text.starts_with("My call did not work. I was told: the arguments are not JSON\n\n"));
  ASSERT_EQ(second.calls.size(), 1u);
  EXPECT_TRUE(parse_json(second.calls[0].args));
  chat.result("call_2", "Successfully wrote 80 characters to a.md");
  EXPECT_EQ(chat.turn().text, "Done. I created a.md");
}

TEST(OfflineFailure, UnknownToolThenANormalAnswer) {
  OfflineChat chat({"file_write"}, failure("unknown_tool"));
  EXPECT_EQ(chat.ask("hello").calls.at(0).name, "no_such_tool");
  chat.result("call_1", "there is no such tool");
  const auto turn = chat.turn();
  EXPECT_NE(turn.text.find("there is no such tool"), std::string::npos);
  EXPECT_NE(turn.text.find("offline model"), std::string::npos);
  EXPECT_TRUE(turn.finished);
}

TEST(OfflineFailure, NoUsageIsAbsentNotZero) {
  OfflineChat chat({}, failure("no_usage"));
  const auto turn = chat.ask("hello");
  EXPECT_FALSE(turn.finished.value().usage);
  EXPECT_NE(turn.text, "");
}

TEST(OfflineFailure, Empty) {
  OfflineChat chat({}, failure("empty"));
  const auto turn = chat.ask("hello");
  EXPECT_TRUE(turn.finished);
  EXPECT_EQ(turn.heard, 1u);
}

TEST(OfflineFailure, ToolsRefusedThenANormalAnswerWithoutThem) {
  OfflineChat chat({"file_write"}, failure("tools_refused"));
  const auto refused = chat.ask("say exactly: hello");
  ASSERT_TRUE(refused.failed);
  EXPECT_EQ(refused.failed->code, ErrorCode::kToolsRefused);
  EXPECT_EQ(refused.heard, 1u) << "before the first word";
  chat.request().messages.pop_back();
  chat.request().tools.clear();
  const auto answered = chat.turn();
  EXPECT_EQ(answered.text, "hello");
  EXPECT_TRUE(answered.finished);
}

TEST_F(OfflineModelTest, HangSaysOneWordAndNoMore) {
  OfflineModel model{milliseconds(15), failure("hang")};
  const auto call = start(model, "hello");
  loop_.advance(std::chrono::hours(1));
  EXPECT_EQ(sink_.heard, 1u);
  EXPECT_EQ(loop_.timer_count(), 0u);
}

TEST_F(OfflineModelTest, EndlessGoesOnUntilItIsCancelled) {
  for (const int pace : {0, 15}) {
    OfflineModel model{milliseconds(pace), failure("endless")};
    auto call = start(model, "hello");
    sink_.on_delta = [&] {
      if (sink_.deltas.size() == 5000) call.reset();
    };
    loop_.advance(std::chrono::hours(1));
    EXPECT_EQ(sink_.deltas.size(), 5000u);
    EXPECT_FALSE(sink_.ended());
    sink_ = {};
  }
}

}  // namespace
}  // namespace braidlog::provider
