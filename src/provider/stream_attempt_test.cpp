#include "provider/stream_attempt.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"
#include "provider/openai/chat_reader.h"
#include "provider/testing/fake_http.h"
#include "provider/testing/recording_sink.h"

namespace braidlog::provider {
namespace {

using std::chrono::milliseconds;

constexpr const char* kToolsRefusal = R"({"error":{"message":"RAW does not support tools"}})";
constexpr const char* kText = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
constexpr const char* kStop = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

class StreamAttemptTest : public ::testing::Test {
 protected:
  void start(bool offers_tools) {
    call_ = start_attempt({.url = "http://a/", .body = "{}"}, offers_tools, make_chat_reader(sink_, {}, parser_), sink_,
                          {client_, loop_, 1000});
    sink_.on_end = [this] { call_.reset(); };  // as a run does
  }

  ::braidlog::testing::FakeClock clock_;
  ::braidlog::testing::FakeLoop loop_{clock_};
  testing::FakeHttpClient client_;
  ChunkParser parser_;
  testing::RecordingSink sink_;
  std::unique_ptr<ModelCall> call_;
};

TEST_F(StreamAttemptTest, ARefusalOfToolsIsTold) {
  start(true);
  client_.head(400);
  EXPECT_FALSE(sink_.ended()) << "the reason is not there yet";
  client_.body(std::string_view(kToolsRefusal).substr(0, 20));
  client_.body(std::string_view(kToolsRefusal).substr(20));
  client_.done();
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kToolsRefused);
  EXPECT_EQ(sink_.failed->message.find("RAW"), std::string::npos);
  EXPECT_EQ(sink_.heard, 1u);
  EXPECT_EQ(loop_.timer_count(), 0u);
}

TEST_F(StreamAttemptTest, WithoutToolsTheReasonIsNotRead) {
  start(false);
  client_.head(400);
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProvider);
  EXPECT_FALSE(sink_.failure->may_retry);
  EXPECT_FALSE(client_.is_open());
}

TEST_F(StreamAttemptTest, OtherStatusesAreToldAtOnceWithTheirAdvice) {
  start(true);
  client_.head(429, {{"retry-after-ms", "1500"}});
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProviderRateLimited);
  EXPECT_TRUE(sink_.failure->may_retry);
  EXPECT_EQ(sink_.failure->retry_after, milliseconds(1500));
}

TEST_F(StreamAttemptTest, AdviceOutlivesTheReadingOfTheReason) {
  start(true);
  client_.head(500, {{"retry-after", "2"}});
  client_.body("sorry");
  client_.done();
  ASSERT_TRUE(sink_.failure);
  EXPECT_TRUE(sink_.failure->may_retry);
  EXPECT_EQ(sink_.failure->retry_after, milliseconds(2000));
}

TEST_F(StreamAttemptTest, ARedirectIsAFailure) {
  start(true);
  client_.head(302, {{"location", "http://elsewhere/"}});
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->message, "The model provider sent the request to another address (HTTP 302)");
  EXPECT_FALSE(sink_.failure->may_retry);
  EXPECT_EQ(client_.requests.size(), 1u);
}

TEST_F(StreamAttemptTest, APageIsNoStream) {
  start(true);
  client_.head(200, {{"content-type", "text/html; charset=utf-8"}});
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProvider);
}

TEST_F(StreamAttemptTest, AReasonThatDoesNotComeIsNotWaitedFor) {
  start(true);
  client_.head(400);
  client_.body("{\"error\":");
  loop_.advance(milliseconds(1'999));
  EXPECT_FALSE(sink_.ended());
  loop_.advance(milliseconds(1));
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProvider);
  EXPECT_FALSE(client_.is_open()) << "the connection is let go";
}

TEST_F(StreamAttemptTest, AReasonWithoutEndIsReadInPart) {
  start(true);
  client_.head(400);
  const std::string page(10'000, 'x');
  client_.body(page);
  EXPECT_FALSE(sink_.ended());
  client_.body(page);
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProvider);
}

TEST_F(StreamAttemptTest, ACutReasonIsReadAsFarAsItCame) {
  start(true);
  client_.head(500);
  client_.body("tools are not supported");
  client_.done(CallEnd::kCut);
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kToolsRefused);
}

TEST_F(StreamAttemptTest, CancelledWhileTheReasonComesItIsSilent) {
  start(true);
  client_.head(400);
  call_.reset();
  loop_.advance(milliseconds(10'000));
  EXPECT_EQ(sink_.heard, 0u);
  EXPECT_EQ(loop_.timer_count(), 0u);
}

TEST_F(StreamAttemptTest, CancelClosesTheConnectionAtOnce) {
  start(true);
  client_.head(200);
  client_.body(kText);
  EXPECT_EQ(sink_.text, "a");
  call_.reset();
  EXPECT_FALSE(client_.is_open());
}

TEST_F(StreamAttemptTest, CancelledFromInsideAWord) {
  start(true);
  sink_.on_delta = [this] { call_.reset(); };
  client_.head(200);
  client_.body(std::string(kText) + kText + kStop);
  EXPECT_EQ(sink_.heard, 1u);
  EXPECT_FALSE(client_.is_open());
}

TEST_F(StreamAttemptTest, EveryByteIsASignOfLife) {
  start(true);
  client_.head(200);
  client_.body(": keep-alive\n\n");
  client_.body(": PROCESSING");
  EXPECT_EQ(sink_.signs_of_life, 3u);
  EXPECT_EQ(sink_.heard, 0u);
}

TEST_F(StreamAttemptTest, AServerThatLeavesTheResponseOpenIsNotWaitedFor) {
  start(true);
  client_.head(200);
  client_.body(std::string(kText) + kStop + "data: [DONE]\n\n");
  EXPECT_FALSE(sink_.ended());
  loop_.advance(milliseconds(50));
  ASSERT_TRUE(sink_.finished);
  EXPECT_FALSE(client_.is_open());
}

TEST_F(StreamAttemptTest, AWholeAnswerIsNotWaitedForWhenNobodySaysThatThisWasAll) {
  start(true);
  client_.head(200);
  client_.body(std::string(kText) + kStop);
  for (int i = 0; i < 4; ++i) {
    loop_.advance(milliseconds(1'000));
    client_.body(": keep-alive\n\n");
  }
  EXPECT_FALSE(sink_.ended()) << "usage may still come";
  loop_.advance(milliseconds(1'001));
  EXPECT_TRUE(sink_.finished);
}

TEST_F(StreamAttemptTest, AFinishReasonMakesAnAnswerWholeHoweverItEnds) {
  start(true);
  client_.head(200);
  client_.body(std::string(kText) + kStop);
  client_.done(CallEnd::kCut);
  ASSERT_TRUE(sink_.finished);
}

TEST_F(StreamAttemptTest, AStreamWithoutAFinishReasonIsCut) {
  start(true);
  client_.head(200);
  client_.body(std::string(kText) + "data: [DONE]\n\n");
  client_.done();
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kUpstreamTruncated);
  EXPECT_EQ(sink_.text, "a");
}

TEST_F(StreamAttemptTest, ALastEventCountsWithoutItsLineEndsButNotWithoutItsBraces) {
  const std::string stop = std::string(kStop).substr(0, std::string_view(kStop).size() - 2);
  for (std::size_t missing = 0; missing < stop.size(); ++missing) {
    testing::RecordingSink sink;
    const auto call = start_attempt({}, true, make_chat_reader(sink, {}, parser_), sink, {client_, loop_, 1000});
    client_.head(200);
    client_.body(kText + stop.substr(0, stop.size() - missing));
    client_.done();
    EXPECT_EQ(sink.finished.has_value(), missing == 0) << missing;
    EXPECT_EQ(sink.failed.has_value(), missing != 0) << missing;
  }
}

TEST_F(StreamAttemptTest, ALineThatIsTooLong) {
  start(true);
  client_.head(200);
  client_.body("data: " + std::string(2'000, 'x'));
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->message, "The model provider sent an event that is too long");
}

TEST_F(StreamAttemptTest, AnEndWithoutAnAnswerMayBeTriedAgain) {
  for (const auto end : {CallEnd::kNotReached, CallEnd::kConnectTimeout, CallEnd::kCut, CallEnd::kComplete}) {
    testing::RecordingSink sink;
    const auto call = start_attempt({}, true, make_chat_reader(sink, {}, parser_), sink, {client_, loop_, 1000});
    client_.done(end);
    ASSERT_TRUE(sink.failure);
    EXPECT_TRUE(sink.failure->may_retry);
  }
}

}  // namespace
}  // namespace braidlog::provider
