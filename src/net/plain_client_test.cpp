// What is special to the client for plain http: connections that are kept, and how many there are. What it has in
// common with libcurl is in http_client_test.cpp and http_client_answers_test.cpp.
#include "net/plain_client.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include "net/testing/plain_fixture.h"

namespace braidlog {
namespace {

using testing::eventually;
using testing::PlainClientTest;
using testing::RawClient;
using testing::RawServer;
using testing::Recorded;

// A connection that carried a call and is kept.
class KeptConnectionTest : public PlainClientTest {
 protected:
  KeptConnectionTest() : peer_(call_once()) {}

  RawClient call_once() {
    Recorded sink;
    send(server_.url(), sink);
    auto peer = server_.accept();
    answer(peer, kShort);
    EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
    return peer;
  }
  // The other side closes before the loop can hear of it.
  void close_and_send(OutgoingRequest request, Recorded& sink) {
    on_loop([&] {
      peer_.close();
      calls_.push_back(start(std::move(request), sink));
    });
  }

  RawClient peer_;
};

TEST_F(KeptConnectionTest, WhatDiedBeforeAnAnswerIsSentAgainWhole) {
  std::string body;
  for (int i = 0; body.size() < 1'000'000; ++i) body += std::to_string(i);
  Recorded sink;
  close_and_send({.url = server_.url("/2"), .body = body}, sink);
  auto next = server_.accept();
  const auto said = answer(next, kShort);
  EXPECT_TRUE(said.starts_with("POST /2 "));
  EXPECT_TRUE(said.ends_with("\r\n\r\n" + body));
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

TEST_F(KeptConnectionTest, WhatIsResetIsSentAgainToo) {
  Recorded sink;
  peer_.set_reset_on_close();
  close_and_send({.url = server_.url("/2"), .body = "{}"}, sink);
  auto next = server_.accept();
  EXPECT_TRUE(answer(next, kShort).ends_with("\r\n\r\n{}"));
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

TEST_F(KeptConnectionTest, WhatTheServerReadAndDidNotAnswerIsSentAgain) {
  Recorded sink;
  send(server_.url("/2"), sink);
  EXPECT_TRUE(peer_.read_until("\r\n\r\n{}").starts_with("POST /2 "));
  peer_.close();
  auto next = server_.accept();
  EXPECT_TRUE(answer(next, kShort).ends_with("\r\n\r\n{}"));
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

// What it says belongs to no request of ours.
TEST_F(KeptConnectionTest, OneThatSpeaksJustBeforeARequestGetsNone) {
  Recorded slow, sink;
  RawServer other;
  send(other.url(), slow);
  auto other_peer = other.accept();
  answer(other_peer, kStreamHead);
  EXPECT_TRUE(eventually([&] { return look<bool>([&] { return slow.heads == 1; }); }));
  // Both sockets are ready in the same round, and the request is made by who reads the first of them.
  slow.bytes_script = [&] {
    if (calls_.size() < 3) calls_.push_back(start({.url = server_.url("/2"), .body = "{}"}, sink));
  };
  on_loop([&] {
    other_peer.send("2\r\nhi\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    peer_.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  auto next = server_.accept();
  EXPECT_TRUE(answer(next, kShort).ends_with("\r\n\r\n{}"));
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.status, 200);
}

TEST_F(KeptConnectionTest, RequestsOfTheSameRoundAreAllSent) {
  std::vector<Recorded> sinks(3);
  on_loop([&] {
    for (auto& sink : sinks) calls_.push_back(start({.url = server_.url("/2"), .body = "{}"}, sink));
  });
  answer(peer_, kShort);
  for (int i = 1; i < 3; ++i) {
    auto next = server_.accept();
    answer(next, kShort);
  }
  for (auto& sink : sinks) EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

TEST_F(KeptConnectionTest, NothingIsSentAThirdTime) {
  Recorded sink;
  close_and_send({.url = server_.url(), .body = "{}"}, sink);
  server_.accept().close();
  EXPECT_EQ(wait_end(sink), CallEnd::kCut);
  EXPECT_FALSE(server_.has_connection());
}

TEST_F(KeptConnectionTest, NothingIsSentAgainOnceAByteHasCome) {
  Recorded sink;
  send(server_.url(), sink);
  answer(peer_, "H");
  peer_.close();
  EXPECT_EQ(wait_end(sink), CallEnd::kCut);
  EXPECT_FALSE(server_.has_connection());
}

TEST_F(KeptConnectionTest, AFreshOneThatDiesIsNotReplaced) {
  Recorded kept, sink;
  send(server_.url(), kept);  // takes the kept one
  send(server_.url(), sink);
  auto fresh = server_.accept();
  fresh.read_until("\r\n\r\n{}");
  fresh.close();
  EXPECT_EQ(wait_end(sink), CallEnd::kCut);
  EXPECT_FALSE(server_.has_connection());
}

TEST_F(KeptConnectionTest, AnEndIsNoticedAtOnce) {
  peer_.shut_write();
  EXPECT_TRUE(peer_.at_end());
}

TEST_F(KeptConnectionTest, OneThatSpeaksUnaskedIsClosed) {
  peer_.send("HTTP/1.1 408 Request Timeout\r\n\r\n");
  EXPECT_TRUE(peer_.at_end() || peer_.was_reset());
}

TEST_F(KeptConnectionTest, OneThatSaysMoreThanItsAnswerIsClosed) {
  Recorded sink;
  send(server_.url(), sink);
  answer(peer_, std::string(kShort) + "HTTP/1.1 200 OK\r\n");
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.body, "ok");
  EXPECT_TRUE(peer_.at_end() || peer_.was_reset());
}

TEST_F(KeptConnectionTest, NotForAnotherOrigin) {
  RawServer other;
  Recorded sink;
  send(other.url(), sink);
  auto peer = other.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

TEST_F(PlainClientTest, AnAnswerBeforeTheWholeRequestEndsTheConnection) {
  Recorded sink;
  send({.url = server_.url(), .body = std::string(16'000'000, 'x')}, sink);
  auto peer = server_.accept();
  peer.read_until("\r\n\r\n");
  peer.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.status, 413);
  EXPECT_EQ(sink.body, "no");
  peer.read_to_end();
}

TEST_F(PlainClientTest, AnswersToHeadHaveNoBody) {
  Recorded sink, next;
  send({.method = Method::kHead, .url = server_.url(), .headers = {}, .body = {}}, sink);
  auto peer = server_.accept();
  EXPECT_TRUE(answer(peer, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n").starts_with("HEAD / "));
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  send(server_.url(), next);
  answer(peer, kShort);
  EXPECT_EQ(wait_end(next), CallEnd::kComplete);
}

TEST_F(PlainClientTest, ThoseAboveTheLimitWaitInOrder) {
  open_plain(2);
  std::vector<Recorded> sinks(20);
  for (std::size_t i = 0; i < sinks.size(); ++i) send(server_.url("/" + std::to_string(i)), sinks[i]);
  auto first = server_.accept(), second = server_.accept();
  EXPECT_TRUE(answer(first, kShort).starts_with("POST /0 "));
  // The second connection is not answered: the first takes all others.
  for (std::size_t i = 2; i < sinks.size(); ++i) {
    EXPECT_TRUE(answer(first, kShort).starts_with("POST /" + std::to_string(i) + " "));
    EXPECT_EQ(wait_end(sinks[i]), CallEnd::kComplete);
  }
  EXPECT_TRUE(answer(second, kShort).starts_with("POST /1 "));
  EXPECT_EQ(wait_end(sinks[1]), CallEnd::kComplete);
  EXPECT_FALSE(server_.has_connection());
}

TEST_F(PlainClientTest, IdleConnectionsMakeRoomForOthers) {
  open_plain(1);
  RawServer other;
  Recorded first, second;
  send(server_.url(), first);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(first), CallEnd::kComplete);
  send(other.url(), second);
  EXPECT_TRUE(peer.at_end());
  auto next = other.accept();
  answer(next, kShort);
  EXPECT_EQ(wait_end(second), CallEnd::kComplete);
}

TEST_F(PlainClientTest, OfManyIdleConnectionsSixtyFourAreKept) {
  constexpr std::size_t kCalls = 80;
  std::vector<Recorded> sinks(kCalls);
  std::vector<RawClient> peers;
  for (auto& sink : sinks) {
    send(server_.url(), sink);
    peers.push_back(server_.accept());
  }
  for (std::size_t i = 0; i < kCalls; ++i) {
    answer(peers[i], kShort);
    EXPECT_EQ(wait_end(sinks[i]), CallEnd::kComplete);
  }
  for (std::size_t i = 0; i < kCalls - 64; ++i) EXPECT_TRUE(peers[i].at_end()) << i;
  Recorded last;
  send(server_.url(), last);
  answer(peers.back(), kShort);
  EXPECT_EQ(wait_end(last), CallEnd::kComplete);
}

TEST_F(PlainClientTest, AConnectionThatNobodyNeedsIsClosed) {
  open_plain(10, std::chrono::milliseconds(50));
  Recorded first, second, live;
  send(server_.url(), live);  // is not idle, however silent
  auto busy = server_.accept();
  send(server_.url(), first);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(first), CallEnd::kComplete);
  EXPECT_TRUE(peer.at_end());
  send(server_.url(), second);
  auto next = server_.accept();
  answer(next, kShort);
  EXPECT_EQ(wait_end(second), CallEnd::kComplete);
  EXPECT_TRUE(next.at_end()) << "the timer is set again";
  answer(busy, kShort);
  EXPECT_EQ(wait_end(live), CallEnd::kComplete);
}

TEST_F(PlainClientTest, ALiveCallIsSmallAndKeepsNoBody) {
  constexpr std::size_t kCalls = 50;
  std::vector<Recorded> sinks(kCalls);
  std::vector<RawClient> peers;
  for (auto& sink : sinks) {
    send({.url = server_.url(), .body = std::string(100'000, 'x')}, sink);
    peers.push_back(server_.accept());
    answer(peers.back(), kStreamHead);
    EXPECT_TRUE(eventually([&] { return look<bool>([&] { return sink.heads == 1; }); }));
  }
  // What the calls give back when they go is what they had.
  const auto used = static_cast<double>(::mallinfo2().uordblks);
  on_loop([&] {
    for (auto& call : calls_) call.reset();
  });
  const auto per_call = (used - static_cast<double>(::mallinfo2().uordblks)) / kCalls;
  RecordProperty("bytes_per_call", static_cast<int>(per_call));
  EXPECT_LT(per_call, 1'000);
}

// ---- what must not be sent twice, or taken for something else ----

TEST_F(KeptConnectionTest, WhatTheServerMayHaveReadIsNotCalledUnsent) {
  Recorded sink;
  send(server_.url("/2"), sink);
  peer_.read_until("\r\n\r\n{}");
  server_.close();
  peer_.close();
  EXPECT_EQ(wait_end(sink), CallEnd::kCut);
}

TEST_F(PlainClientTest, AResetIsNoEndOfAnAnswerWithoutALength) {
  Recorded sink;
  send({.url = server_.url(), .body = std::string(30'000'000, 'x')}, sink);
  auto peer = server_.accept();
  peer.read_until("\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until the socket takes no more
  on_loop([&] {
    peer.send("HTTP/1.1 200 OK\r\n\r\nhalf of it");
    peer.set_reset_on_close();
    peer.close();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  EXPECT_EQ(wait_end(sink), CallEnd::kCut);
}

TEST_F(PlainClientTest, CallsThatAreGivenUpTogetherSendNothingMore) {
  open_plain(2);
  std::vector<Recorded> sinks(20);
  for (auto& sink : sinks) send(server_.url(), sink);
  on_loop([&] { calls_.clear(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  int requests = 0;
  while (server_.has_connection()) requests += server_.accept().read_to_end().starts_with("POST") ? 1 : 0;
  EXPECT_LE(requests, 2);
}

TEST_F(KeptConnectionTest, AnAnswerThatIsThereIsReadBeforeAnythingIsSentAgain) {
  RawServer other;
  Recorded slow, large;
  send(other.url(), slow);
  auto other_peer = other.accept();
  answer(other_peer, kStreamHead);
  EXPECT_TRUE(eventually([&] { return look<bool>([&] { return slow.heads == 1; }); }));
  send({.url = server_.url("/2"), .body = std::string(20'000'000, 'x')}, large);
  EXPECT_TRUE(peer_.read_until("\r\n\r\n").starts_with("POST /2"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  bool is_refused = false;
  slow.bytes_script = [&] {
    if (std::exchange(is_refused, true)) return;
    peer_.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
    peer_.set_reset_on_close();
    peer_.close();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  on_loop([&] {
    other_peer.send("2\r\nhi\r\n");  // is ready first
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    peer_.read_bytes(2'000'000);  // then the kept connection takes bytes again
  });
  EXPECT_TRUE(
      eventually([&] { return server_.has_connection() || look<bool>([&] { return large.end.has_value(); }); }));
  EXPECT_FALSE(server_.has_connection()) << "the request is sent a second time";
  EXPECT_EQ(look<int>([&] { return large.status; }), 413);
}

}  // namespace
}  // namespace braidlog
