#include "terminal/event_stream.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/testing/fake_loop.h"

namespace braidlog::terminal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::FakeClock;
using testing::FakeLoop;

struct FakeHead final : ResponseHead {
  explicit FakeHead(int s) : value(s) {}
  int status() const override { return value; }
  std::string_view header(const char*) const override { return {}; }
  int value;
};

// The server as a test plays it: the last connection that was asked for.
struct FakeHttp final : HttpClient {
  struct Call final : HttpCall {
    explicit Call(FakeHttp& h) : http(h) {}
    ~Call() override { http.sink = nullptr; }
    FakeHttp& http;
  };
  std::unique_ptr<HttpCall> send(OutgoingRequest request, HttpCallSink& to) override {
    last_ids.push_back("");
    for (const auto& header : request.headers) {
      if (header.name == "Last-Event-ID") last_ids.back() = header.value;
    }
    sink = nullptr;
    auto call = std::make_unique<Call>(*this);
    sink = &to;
    return call;
  }
  void head(int status) { sink->on_head(FakeHead(status)); }
  void say(std::string_view bytes) { sink->on_bytes(bytes); }
  void end(CallEnd how) { sink->on_done(how); }

  std::vector<std::string> last_ids;  // one for each connection
  HttpCallSink* sink = nullptr;
};

struct Heard final : StreamListener {
  bool on_frame(const Frame& frame) override {
    frames += std::string(frame.data) + " ";
    bytes += frame.bytes;
    return frame.data != "enough";
  }
  void on_lost() override { ++losses; }
  void on_end(const StreamEnd& how) override {
    EXPECT_FALSE(end);
    end = how;
  }
  std::string frames, bytes;
  int losses = 0;
  std::optional<StreamEnd> end;
};

class EventStreamTest : public ::testing::Test {
 protected:
  EventStream& open(StreamOptions options = {}) {
    stream_.emplace(loop_, http_, OutgoingRequest{.method = Method::kGet, .url = "http://x/log"}, std::move(options),
                    heard_);
    stream_->open();
    return *stream_;
  }
  static StreamOptions until_last() {
    StreamOptions options;
    options.is_last = [](const Frame& frame) { return frame.data == "last"; };
    return options;
  }
  // What a new connection does not tell anybody yet.
  void wait_for_connection(std::size_t count) {
    for (int i = 0; i < 100 && http_.last_ids.size() < count; ++i) loop_.advance(milliseconds(100));
    ASSERT_EQ(http_.last_ids.size(), count);
  }

  FakeClock clock_;
  FakeLoop loop_{clock_};
  FakeHttp http_;
  Heard heard_;
  std::optional<EventStream> stream_;
};

TEST_F(EventStreamTest, FramesAsTheyCome) {
  open();
  http_.head(200);
  http_.say("id: 1\ndata: a\n");
  EXPECT_EQ(heard_.frames, "");
  http_.say("\nid: 2\nda");
  http_.say("ta: b\n\n: keepalive\n\n");
  EXPECT_EQ(heard_.frames, "a b ");
  EXPECT_EQ(heard_.bytes, "id: 1\ndata: a\n\nid: 2\ndata: b\n\n");
  http_.end(CallEnd::kComplete);
  ASSERT_TRUE(heard_.end);
  EXPECT_EQ(heard_.end->kind, StreamEnd::Kind::kOver);
  EXPECT_EQ(heard_.losses, 0);
}

TEST_F(EventStreamTest, GoesOnAfterTheLastWholeFrame) {
  open(until_last());
  http_.head(200);
  http_.say("id: 1\ndata: a\n\nid: 2\ndata: b\n");  // the second one is not whole
  http_.end(CallEnd::kCut);
  EXPECT_EQ(heard_.losses, 1);
  wait_for_connection(2);
  EXPECT_EQ(http_.last_ids.back(), "1");
  http_.end(CallEnd::kNotReached);
  wait_for_connection(3);
  EXPECT_EQ(heard_.losses, 1);  // still the same one
  http_.head(200);
  http_.say("id: 2\ndata: b\n\nid: 3\ndata: last\n\n");
  http_.end(CallEnd::kComplete);
  EXPECT_EQ(heard_.frames, "a b last ");
  EXPECT_EQ(heard_.end->kind, StreamEnd::Kind::kOver);
}

TEST_F(EventStreamTest, FramesWithoutIdsAreCounted) {
  open();
  http_.head(200);
  http_.say("data: a\n\ndata: b\n\n");
  http_.end(CallEnd::kCut);
  wait_for_connection(2);
  EXPECT_EQ(http_.last_ids.back(), "");
  http_.head(200);
  http_.say("data: a\n\n");
  http_.end(CallEnd::kCut);  // before it came to where it was
  wait_for_connection(3);
  http_.head(200);
  http_.say("data: a\n\n: keepalive\n\ndata: b\n\ndata: c\n\n");
  EXPECT_EQ(heard_.frames, "a b c ");
}

TEST_F(EventStreamTest, BeginsWhereItIsTold) {
  StreamOptions options;
  options.last_id = "evt_7";
  open(options);
  EXPECT_EQ(http_.last_ids.back(), "evt_7");
  http_.head(204);
  http_.end(CallEnd::kComplete);
  EXPECT_EQ(heard_.end->kind, StreamEnd::Kind::kOver);
}

TEST_F(EventStreamTest, ACleanEndBeforeTheLastFrameIsALoss) {
  open(until_last());
  http_.head(200);
  http_.say("id: 1\ndata: a\n\n");
  http_.end(CallEnd::kComplete);
  EXPECT_FALSE(heard_.end);
  EXPECT_EQ(heard_.losses, 1);
  wait_for_connection(2);
  EXPECT_EQ(http_.last_ids.back(), "1");
}

TEST_F(EventStreamTest, AnUncleanEndAfterTheLastFrameIsNone) {
  open(until_last());
  http_.head(200);
  http_.say("id: 1\ndata: last\n\n");
  http_.end(CallEnd::kCut);
  ASSERT_TRUE(heard_.end);
  EXPECT_EQ(heard_.end->kind, StreamEnd::Kind::kOver);
}

TEST_F(EventStreamTest, ARefusalIsTheEnd) {
  open();
  http_.head(404);
  http_.say(R"({"error":"Run not found"})");
  http_.end(CallEnd::kComplete);
  ASSERT_TRUE(heard_.end);
  EXPECT_EQ(heard_.end->kind, StreamEnd::Kind::kRefused);
  EXPECT_EQ(heard_.end->status, 404);
  EXPECT_EQ(heard_.end->body, R"({"error":"Run not found"})");
  EXPECT_EQ(heard_.losses, 0);
}

TEST_F(EventStreamTest, AServerThatIsBusyIsAskedAgain) {
  open();
  http_.head(503);
  http_.end(CallEnd::kComplete);
  EXPECT_FALSE(heard_.end);
  wait_for_connection(2);
}

TEST_F(EventStreamTest, PausesGrowAndItGivesUp) {
  StreamOptions options;
  options.give_up_after = seconds(60);
  open(options);
  std::vector<std::int64_t> pauses;
  while (!heard_.end && pauses.size() < 100) {
    const auto before = clock_.mono().ms;
    const auto count = http_.last_ids.size();
    http_.end(CallEnd::kNotReached);
    if (!heard_.end) wait_for_connection(count + 1);
    pauses.push_back(clock_.mono().ms - before);
  }
  ASSERT_TRUE(heard_.end);
  EXPECT_EQ(heard_.end->kind, StreamEnd::Kind::kGaveUp);
  EXPECT_EQ(pauses[0], 300);
  EXPECT_EQ(pauses[1], 600);
  EXPECT_EQ(pauses[6], 5000);
  EXPECT_LT(pauses.size(), 20u);
  EXPECT_EQ(heard_.losses, 1);
}

TEST_F(EventStreamTest, SilenceIsALoss) {
  open();
  http_.head(200);
  http_.say("id: 1\ndata: a\n\n");
  loop_.advance(seconds(80));
  http_.say(": keepalive\n\n");
  loop_.advance(seconds(80));
  EXPECT_EQ(heard_.losses, 0);
  loop_.advance(seconds(11));
  EXPECT_EQ(heard_.losses, 1);
  EXPECT_EQ(http_.last_ids.size(), 2u);
}

TEST_F(EventStreamTest, WhoHasEnoughHearsNoMore) {
  open();
  http_.head(200);
  http_.say("id: 1\ndata: enough\n\nid: 2\ndata: more\n\n");
  EXPECT_EQ(heard_.frames, "enough ");
  ASSERT_TRUE(heard_.end);
  EXPECT_EQ(http_.sink, nullptr);  // the connection is closed
}

}  // namespace
}  // namespace braidlog::terminal
