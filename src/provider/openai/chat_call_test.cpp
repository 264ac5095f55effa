#include "provider/openai/chat_call.h"

#include <gtest/gtest.h>

#include "base/testing/fake_loop.h"
#include "provider/testing/recording_sink.h"

namespace braidlog::provider {
namespace {

using std::chrono::milliseconds;

constexpr const char* kToolsRefusal = R"({"error":{"message":"RAW does not support tools"}})";

class Head final : public ResponseHead {
 public:
  explicit Head(int status) : status_(status) {}
  int status() const override { return status_; }
  std::string_view header(const char*) const override { return "text/event-stream"; }

 private:
  int status_;
};

// Sends nothing; the test is the server.
class FakeClient final : public HttpClient {
 public:
  std::unique_ptr<HttpCall> send(OutgoingRequest, HttpCallSink& sink) override {
    sink_ = &sink;
    return std::make_unique<Call>(*this);
  }
  HttpCallSink* sink() { return sink_; }  // null once the call is gone

 private:
  struct Call final : HttpCall {
    explicit Call(FakeClient& c) : client(c) {}
    ~Call() override { client.sink_ = nullptr; }
    FakeClient& client;
  };
  HttpCallSink* sink_ = nullptr;
};

class ChatCallTest : public ::testing::Test {
 protected:
  void start(bool offers_tools) {
    call_ = start_chat({}, offers_tools, sink_, {client_, parser_, loop_, 1000});
    sink_.on_end = [this] { call_.reset(); };  // as a run does
  }
  void head(int status) { client_.sink()->on_head(Head(status)); }
  void body(std::string_view bytes) { client_.sink()->on_bytes(bytes); }
  void done(CallEnd end = CallEnd::kComplete) { client_.sink()->on_done(end); }

  ::braidlog::testing::FakeClock clock_;
  ::braidlog::testing::FakeLoop loop_{clock_};
  FakeClient client_;
  ChunkParser parser_;
  testing::RecordingSink sink_;
  std::unique_ptr<ModelCall> call_;
};

TEST_F(ChatCallTest, ARefusalOfToolsIsTold) {
  start(true);
  head(400);
  EXPECT_FALSE(sink_.ended()) << "the reason is not there yet";
  body(std::string_view(kToolsRefusal).substr(0, 20));
  body(std::string_view(kToolsRefusal).substr(20));
  done();
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kToolsRefused);
  EXPECT_EQ(sink_.failed->message.find("RAW"), std::string::npos);
  EXPECT_EQ(sink_.heard, 1u);
  EXPECT_EQ(loop_.timer_count(), 0u);
}

TEST_F(ChatCallTest, WithoutToolsTheReasonIsNotRead) {
  start(false);
  head(400);
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProvider);
  EXPECT_EQ(client_.sink(), nullptr);
}

TEST_F(ChatCallTest, OtherStatusesAreToldAtOnce) {
  start(true);
  head(429);
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProviderRateLimited);
}

TEST_F(ChatCallTest, AReasonThatDoesNotComeIsNotWaitedFor) {
  start(true);
  head(400);
  body("{\"error\":");
  loop_.advance(milliseconds(1'999));
  EXPECT_FALSE(sink_.ended());
  loop_.advance(milliseconds(1));
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProvider);
  EXPECT_EQ(client_.sink(), nullptr) << "the connection is let go";
}

TEST_F(ChatCallTest, AReasonWithoutEndIsReadInPart) {
  start(true);
  head(400);
  const std::string page(10'000, 'x');
  body(page);
  EXPECT_FALSE(sink_.ended());
  body(page);
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kProvider);
}

TEST_F(ChatCallTest, ACutReasonIsReadAsFarAsItCame) {
  start(true);
  head(500);
  body("tools are not supported");
  done(CallEnd::kCut);
  ASSERT_TRUE(sink_.failed);
  EXPECT_EQ(sink_.failed->code, ErrorCode::kToolsRefused);
}

TEST_F(ChatCallTest, CancelledWhileTheReasonComesItIsSilent) {
  start(true);
  head(400);
  call_.reset();
  loop_.advance(milliseconds(10'000));
  EXPECT_EQ(sink_.heard, 0u);
  EXPECT_EQ(loop_.timer_count(), 0u);
}

}  // namespace
}  // namespace braidlog::provider
