#include "provider/reliable_model.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"
#include "provider/retry_schedule.h"
#include "provider/testing/recording_sink.h"

namespace braidlog::provider {
namespace {

using std::chrono::milliseconds;

// An endpoint that says nothing by itself: the test speaks for it.
class Puppet final : public Endpoint {
 public:
  explicit Puppet(std::string name, bool is_local = false) : name_(std::move(name)), is_local_(is_local) {}
  std::string_view provider() const override { return "test"; }
  std::string_view name() const override { return name_; }
  bool is_local() const override { return is_local_; }
  std::unique_ptr<ModelCall> ask(const ModelRequest& request, AttemptSink& to, Loop&) override {
    asked.push_back(request);
    sink = &to;
    return std::make_unique<Call>(*this);
  }
  void fail(int status, std::optional<milliseconds> after = {}) {
    sink->on_attempt_failed(
        {{ErrorCode::kProvider, "HTTP " + std::to_string(status), {}}, may_retry_status(status), after});
  }

  std::vector<ModelRequest> asked;
  AttemptSink* sink = nullptr;  // null while no call is open

 private:
  struct Call final : ModelCall {
    explicit Call(Puppet& p) : puppet(p) {}
    ~Call() override { puppet.sink = nullptr; }
    Puppet& puppet;
  };
  std::string name_;
  bool is_local_;
};

class ReliableModelTest : public ::testing::Test {
 protected:
  void start(std::size_t retries_max = 2) {
    model_ = std::make_unique<ReliableModel>(ReliableModel::Setup{.chain = {first_, second_},
                                                                  .first_token_timeout = milliseconds(10'000),
                                                                  .idle_timeout = milliseconds(3'000),
                                                                  .retries_max = retries_max,
                                                                  .context_tokens = 77,
                                                                  .jitter = [] { return 0.0; }});
    ModelRequest request;
    request.instructions = "Be kind.";
    call_ = model_->start(std::move(request), sink_, loop_);
    sink_.on_end = [this] { call_.reset(); };  // as a run does
  }
  void advance(int ms) { loop_.advance(milliseconds(ms)); }

  ::braidlog::testing::FakeClock clock_;
  ::braidlog::testing::FakeLoop loop_{clock_};
  std::shared_ptr<Puppet> first_ = std::make_shared<Puppet>("one"), second_ = std::make_shared<Puppet>("two");
  testing::RecordingSink sink_;
  std::unique_ptr<ReliableModel> model_;
  std::unique_ptr<ModelCall> call_;
};

TEST_F(ReliableModelTest, IsItsFirstModel) {
  start();
  EXPECT_EQ(model_->provider(), "test");
  EXPECT_EQ(model_->name(), "one");
  EXPECT_EQ(model_->context_tokens(), 77u);
}

TEST_F(ReliableModelTest, AnAnswerGoesThrough) {
  start();
  EXPECT_EQ(first_->asked.at(0).instructions, "Be kind.");
  first_->sink->on_reasoning("hm");
  first_->sink->on_text("a");
  first_->sink->on_tool_call(0, "c", "f");
  first_->sink->on_tool_args(0, "{}");
  first_->sink->on_finished({.reason = FinishReason::kToolCalls});
  EXPECT_EQ(sink_.reasoning + sink_.text + sink_.calls.at(0).name + sink_.calls.at(0).args, "hmaf{}");
  ASSERT_TRUE(sink_.finished);
  EXPECT_EQ(sink_.finished->answered_by, "");
  EXPECT_EQ(loop_.timer_count(), 0u);
}

TEST_F(ReliableModelTest, IsAskedAgainAfterGrowingWaits) {
  start();
  first_->fail(500);
  EXPECT_EQ(first_->sink, nullptr) << "the failed try is let go";
  advance(499);
  EXPECT_EQ(first_->asked.size(), 1u);
  advance(1);
  ASSERT_EQ(first_->asked.size(), 2u);
  EXPECT_EQ(first_->asked[1].instructions, "Be kind.");
  first_->fail(503);
  advance(999);
  EXPECT_EQ(first_->asked.size(), 2u);
  advance(1);
  ASSERT_EQ(first_->asked.size(), 3u);
  EXPECT_FALSE(sink_.ended());
  first_->sink->on_text("at last");
  first_->sink->on_finished({});
  EXPECT_EQ(sink_.text, "at last");
}

TEST_F(ReliableModelTest, TheServersTimeIsKept) {
  start();
  first_->fail(429, milliseconds(30'000));
  advance(29'999);
  EXPECT_EQ(first_->asked.size(), 1u);
  advance(1);
  EXPECT_EQ(first_->asked.size(), 2u);
}

TEST_F(ReliableModelTest, ATimeThatIsTooLongIsNotWaitedFor) {
  start();
  first_->fail(429, milliseconds(60'001));
  EXPECT_EQ(first_->asked.size(), 1u);
  EXPECT_EQ(second_->asked.size(), 1u);
}

TEST_F(ReliableModelTest, TheNextModelIsAskedWhenRetriesAreUsedUp) {
  start(1);
  first_->fail(500);
  advance(500);
  first_->fail(500);
  ASSERT_EQ(second_->asked.size(), 1u);
  second_->fail(500);
  advance(500);  // its waits begin anew
  ASSERT_EQ(second_->asked.size(), 2u);
  second_->sink->on_text("b");
  second_->sink->on_finished({});
  ASSERT_TRUE(sink_.finished);
  EXPECT_EQ(sink_.finished->answered_by, "test/two");
}

TEST_F(ReliableModelTest, WhatDoesNotPassIsNotAskedAgain) {
  start();
  first_->fail(401);
  EXPECT_EQ(first_->asked.size(), 1u);
  ASSERT_EQ(second_->asked.size(), 1u);
  second_->fail(404);
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->message, "HTTP 404");
  EXPECT_EQ(loop_.timer_count(), 0u);
}

// What comes after a retry did not come with what the first try was in the middle of.
TEST_F(ReliableModelTest, ATryThatFailsInsideAReadEndsIt) {
  start();
  first_->sink->on_read_begin();
  EXPECT_TRUE(sink_.in_read);
  first_->fail(500);
  EXPECT_FALSE(sink_.failed);
  EXPECT_FALSE(sink_.in_read);
}

TEST_F(ReliableModelTest, WithoutRetriesThereAreNone) {
  start(0);
  first_->fail(500);
  EXPECT_EQ(second_->asked.size(), 1u);
}

TEST_F(ReliableModelTest, NothingIsAskedAgainAfterTheFirstToken) {
  for (const int kind : {0, 1, 2}) {
    sink_ = {};
    start();
    if (kind == 0) first_->sink->on_text("a");
    if (kind == 1) first_->sink->on_reasoning("hm");
    if (kind == 2) first_->sink->on_tool_call(0, "", "f");
    first_->fail(500);
    ASSERT_TRUE(sink_.failed);
    EXPECT_TRUE(second_->asked.empty());
    EXPECT_EQ(loop_.timer_count(), 0u);
  }
}

TEST_F(ReliableModelTest, ToolsThatAreRefusedAreToldAtOnce) {
  start();
  first_->sink->on_failed({ErrorCode::kToolsRefused, "no tools", {}});
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kToolsRefused);
  EXPECT_TRUE(second_->asked.empty());
}

TEST_F(ReliableModelTest, TheFirstTokenIsWaitedForSoLong) {
  start(1);
  advance(9'000);
  first_->sink->on_sign_of_life();  // a comment is no token
  advance(999);
  EXPECT_NE(first_->sink, nullptr);
  advance(1);
  EXPECT_EQ(first_->sink, nullptr);
  advance(500);
  EXPECT_EQ(first_->asked.size(), 2u) << "each try has its own time";
  advance(10'000);
  ASSERT_EQ(second_->asked.size(), 1u);
  advance(10'000 + 500 + 10'000);
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProviderTimeout);
  EXPECT_EQ(sink_.failed->message, "The model did not begin to answer in time");
}

TEST_F(ReliableModelTest, SilenceInMidAnswerEndsIt) {
  start();
  advance(5'000);
  first_->sink->on_reasoning("hm");
  advance(2'999);
  EXPECT_FALSE(sink_.ended());
  advance(1);
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProviderTimeout);
  EXPECT_EQ(sink_.failed->message, "The model stopped answering");
  EXPECT_EQ(first_->sink, nullptr);
  EXPECT_TRUE(second_->asked.empty());
}

TEST_F(ReliableModelTest, ASignOfLifeBreaksTheSilence) {
  start();
  first_->sink->on_text("a");
  for (int i = 0; i < 5; ++i) {
    advance(2'900);
    first_->sink->on_sign_of_life();
  }
  EXPECT_FALSE(sink_.ended());
  advance(3'000);
  EXPECT_TRUE(sink_.failed);
}

TEST_F(ReliableModelTest, ALocalModelLivesByItsWordsAndIsNotAskedAgain) {
  first_ = std::make_shared<Puppet>("one", true);
  start();
  for (int i = 0; i < 5; ++i) {
    first_->sink->on_text("a");
    advance(2'900);
  }
  EXPECT_FALSE(sink_.ended());
  advance(100);
  EXPECT_TRUE(sink_.failed);

  sink_ = {};
  start();
  first_->fail(500);
  EXPECT_EQ(first_->asked.size(), 2u);
  EXPECT_EQ(second_->asked.size(), 1u);
}

TEST_F(ReliableModelTest, CancelWhileTheModelThinks) {
  start();
  call_.reset();
  EXPECT_EQ(first_->sink, nullptr);
  EXPECT_EQ(loop_.timer_count(), 0u);
  advance(100'000);
  EXPECT_EQ(sink_.heard, 0u);
}

TEST_F(ReliableModelTest, CancelWhileARetryIsWaitedFor) {
  start();
  first_->fail(500);
  call_.reset();
  EXPECT_EQ(loop_.timer_count(), 0u);
  advance(100'000);
  EXPECT_EQ(first_->asked.size(), 1u);
  EXPECT_EQ(sink_.heard, 0u);
}

TEST_F(ReliableModelTest, CancelFromInsideAWord) {
  start();
  sink_.on_delta = [this] { call_.reset(); };
  first_->sink->on_text("a");
  EXPECT_EQ(first_->sink, nullptr);
  EXPECT_EQ(loop_.timer_count(), 0u);
}

TEST_F(ReliableModelTest, CallsOutliveTheirModel) {
  start();
  model_.reset();
  first_->fail(500);
  advance(500);
  first_->sink->on_text("a");
  first_->sink->on_finished({});
  EXPECT_TRUE(sink_.finished);
}

TEST_F(ReliableModelTest, RetriesAndChangesOfModelAreLogged) {
  ::testing::internal::CaptureStderr();
  start(1);
  first_->fail(500);
  advance(500);
  first_->fail(502);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("model is asked again"), std::string::npos) << log;
  EXPECT_NE(log.find("wait_ms=\"500\""), std::string::npos) << log;
  EXPECT_NE(log.find("another model is asked"), std::string::npos) << log;
  EXPECT_NE(log.find("test/two"), std::string::npos) << log;
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << log;
}

}  // namespace
}  // namespace braidlog::provider
