#include "net/http_client.h"

#include <gtest/gtest.h>

#include "net/testing/client_fixture.h"

namespace braidlog {
namespace {

using testing::BothClientsTest;
using testing::eventually;
using testing::RawClient;
using testing::RawServer;
using testing::Recorded;

constexpr const char* kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr const char* kShort = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

TEST_P(BothClientsTest, SaysWhatItIsTold) {
  Recorded sink;
  OutgoingRequest request{.url = server_.url("/v1/x"), .body = "{\"a\":1}"};
  request.headers = {{"Content-Type", "application/json"}, {"Authorization", "Bearer k"}};
  send(std::move(request), sink);
  auto peer = server_.accept();
  const auto said = answer(peer, kShort);
  EXPECT_TRUE(said.starts_with("POST /v1/x HTTP/1.1\r\n")) << said;
  EXPECT_NE(said.find("Content-Type: application/json\r\nAuthorization: Bearer k\r\n"), std::string::npos) << said;
  EXPECT_EQ(said.find("Expect"), std::string::npos);
  EXPECT_EQ(said.find("Cookie"), std::string::npos);
  EXPECT_TRUE(said.ends_with("\r\n\r\n{\"a\":1}")) << said;
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.status, 200);
  EXPECT_EQ(sink.body, "ok");
  EXPECT_EQ(sink.absent, "");
}

TEST_P(BothClientsTest, OtherMethods) {
  Recorded get, put;
  send({.method = Method::kGet, .url = server_.url("/g"), .headers = {}, .body = {}}, get);
  auto first = server_.accept();
  const auto asked = answer(first, kShort);
  EXPECT_TRUE(asked.starts_with("GET /g HTTP/1.1\r\n"));
  EXPECT_EQ(asked.find("Content-Length"), std::string::npos);
  EXPECT_EQ(wait_end(get), CallEnd::kComplete);
  send({.method = Method::kPut, .url = server_.url("/p"), .headers = {}, .body = "x"}, put);
  EXPECT_TRUE(answer(first, kShort).starts_with("PUT /p HTTP/1.1\r\n"));
  EXPECT_EQ(wait_end(put), CallEnd::kComplete);
}

TEST_P(BothClientsTest, BytesComeAsTheyAreSent) {
  Recorded sink;
  send(server_.url(), sink);
  auto peer = server_.accept();
  answer(peer, kStreamHead);
  EXPECT_TRUE(eventually([&] { return look<bool>([&] { return sink.heads == 1; }); }));
  EXPECT_EQ(look<std::string>([&] { return sink.content_type; }), "text/event-stream");
  peer.send("3\r\none\r\n");
  EXPECT_TRUE(wait_body(sink, "one"));
  peer.send("3\r\ntwo\r\n");
  EXPECT_TRUE(wait_body(sink, "onetwo"));
  peer.send("0\r\n\r\n");
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

TEST_P(BothClientsTest, AConnectionIsUsedAgain) {
  Recorded first, second;
  send(server_.url(), first);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(first), CallEnd::kComplete);
  send(server_.url(), second);
  answer(peer, kShort);
  EXPECT_EQ(wait_end(second), CallEnd::kComplete);
  EXPECT_FALSE(server_.has_connection());
}

TEST_P(BothClientsTest, AKeptConnectionThatDiedIsReplaced) {
  Recorded first, second;
  send(server_.url(), first);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(first), CallEnd::kComplete);
  peer.close();
  send(server_.url(), second);
  auto next = server_.accept();
  answer(next, kShort);
  EXPECT_EQ(wait_end(second), CallEnd::kComplete);
}

TEST_P(BothClientsTest, DestroyingTheCallClosesTheConnection) {
  Recorded sink;
  const auto call = send(server_.url(), sink);
  auto peer = server_.accept();
  answer(peer, std::string(kStreamHead) + "3\r\none\r\n");
  EXPECT_TRUE(wait_body(sink, "one"));
  drop(call);
  EXPECT_TRUE(peer.at_end() || peer.was_reset());
  EXPECT_FALSE(look<bool>([&] { return sink.end.has_value(); }));
}

TEST_P(BothClientsTest, DestroyingTheCallFromInsideItsCallbacks) {
  for (const std::string where : {"head", "bytes", "done"}) {
    Recorded sink;
    std::size_t call = 0;
    const auto leave = [&] { calls_[call].reset(); };
    (where == "head" ? sink.head_script : where == "bytes" ? sink.bytes_script : sink.done_script) = leave;
    on_loop([&] { call = calls_.size(); });
    send(server_.url(), sink);
    auto peer = server_.accept();
    answer(peer, std::string(kStreamHead) + "3\r\none\r\n3\r\ntwo\r\n");
    if (where == "done") peer.send("0\r\n\r\n");
    EXPECT_TRUE(eventually([&] { return look<bool>([&] { return calls_[call] == nullptr; }); })) << where;
    if (where == "done") {
      EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
      peer.close();
    } else {
      EXPECT_TRUE(peer.at_end() || peer.was_reset()) << where;
      EXPECT_FALSE(look<bool>([&] { return sink.end.has_value(); })) << where;
      EXPECT_EQ(look<std::string>([&] { return sink.body; }).substr(0, 3), where == "head" ? "" : "one");
    }
  }
}

TEST_P(BothClientsTest, ANewCallFromInsideACallback) {
  Recorded first, second, third;
  first.bytes_script = [&] {
    if (calls_.size() > 1) return;
    calls_.push_back(start({.url = server_.url("/2"), .body = "{}"}, second));
  };
  second.done_script = [&] { calls_.push_back(start({.url = server_.url("/3"), .body = "{}"}, third)); };
  send(server_.url("/1"), first);
  auto peer = server_.accept();
  answer(peer, std::string(kStreamHead) + "3\r\none\r\n");
  auto other = server_.accept();
  answer(other, kShort);
  answer(other, kShort);
  EXPECT_EQ(wait_end(third), CallEnd::kComplete);
  peer.send("0\r\n\r\n");
  EXPECT_EQ(wait_end(first), CallEnd::kComplete);
}

TEST_P(BothClientsTest, RedirectsAreNotFollowed) {
  Recorded sink;
  send(server_.url(), sink);
  auto peer = server_.accept();
  answer(peer, "HTTP/1.1 307 Temporary Redirect\r\nLocation: " + server_.url("/x") + "\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.status, 307);
  EXPECT_FALSE(server_.has_connection());
}

TEST_P(BothClientsTest, AnInterimHeadIsNoHead) {
  Recorded sink;
  send(server_.url(), sink);
  auto peer = server_.accept();
  answer(peer, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + std::string(kShort));
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.heads, 1);
  EXPECT_EQ(sink.status, 200);
}

TEST_P(BothClientsTest, CutsAreToldFromEnds) {
  const struct {
    std::string response;
    CallEnd end;
    int heads;
  } cases[] = {
      {"", CallEnd::kCut, 0},
      {"HTTP/1.1 200 OK\r\nContent-Le", CallEnd::kCut, 0},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok", CallEnd::kCut, 1},
      {std::string(kStreamHead) + "3\r\none\r\n", CallEnd::kCut, 1},
      {std::string(kStreamHead) + "zz\r\n", CallEnd::kCut, 1},
      {"SSH-2.0-x\r\n", CallEnd::kCut, 0},
      {"HTTP/1.1 200 OK\r\n\r\nuntil the end", CallEnd::kComplete, 1},
  };
  for (const auto& [response, end, heads] : cases) {
    Recorded sink;
    send(server_.url(), sink);
    auto peer = server_.accept();
    answer(peer, response);
    peer.close();
    EXPECT_EQ(wait_end(sink), end) << response;
    EXPECT_EQ(sink.heads, heads) << response;
  }
}

TEST_P(BothClientsTest, NobodyThere) {
  Recorded refused, unknown, nonsense;
  const auto url = server_.url();
  server_.close();
  send(url, refused);
  EXPECT_EQ(wait_end(refused), CallEnd::kNotReached);
  send("https" + url.substr(4), unknown);
  EXPECT_EQ(wait_end(unknown), CallEnd::kNotReached);
  send("file:///etc/hostname", nonsense);
  EXPECT_EQ(wait_end(nonsense), CallEnd::kNotReached);
  EXPECT_EQ(refused.heads + unknown.heads + nonsense.heads, 0);
}

TEST_P(BothClientsTest, NobodyAnswersTheDoor) {
  RawServer full(0);
  const RawClient in_the_way(full.port());
  Recorded sink;
  send(full.url(), sink);
  EXPECT_EQ(wait_end(sink), CallEnd::kConnectTimeout);
}

TEST_P(BothClientsTest, AServerThatSpeaksNoTls) {
  Recorded sink;
  send("https" + server_.url().substr(4), sink);
  auto peer = server_.accept();
  peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  peer.close();
  EXPECT_EQ(wait_end(sink), CallEnd::kNotReached);
}

TEST_P(BothClientsTest, LargeBodiesInBothDirections) {
  Recorded sink;
  const std::string large(3'000'000, 'x');
  send({.url = server_.url(), .body = large}, sink);
  auto peer = server_.accept();
  const auto said = answer(peer, "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + large);
  EXPECT_TRUE(said.ends_with(large));
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.body, large);
}

TEST_P(BothClientsTest, AnAnswerThatOvertakesTheBody) {
  Recorded sink;
  // More than the sockets' buffers hold: the rest is still to be sent when the answer comes.
  const auto call = send({.url = server_.url(), .body = std::string(16'000'000, 'x')}, sink);
  auto peer = server_.accept();
  peer.read_until("\r\n\r\n");
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nonetwo");
  EXPECT_TRUE(wait_body(sink, "onetwo"));
  peer.close();
  drop(call);
}

TEST_P(BothClientsTest, ManyAtOnce) {
  constexpr int kCalls = 200;
  std::vector<Recorded> sinks(kCalls);
  std::vector<RawClient> peers;
  for (auto& sink : sinks) {
    send(server_.url(), sink);
    peers.push_back(server_.accept());
  }
  for (auto& peer : peers) answer(peer, std::string(kStreamHead) + "3\r\none\r\n");
  for (auto& sink : sinks) EXPECT_TRUE(wait_body(sink, "one"));
  for (auto& peer : peers) peer.send("3\r\ntwo\r\n0\r\n\r\n");
  for (auto& sink : sinks) {
    EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
    EXPECT_EQ(sink.body, "onetwo");
  }
}

TEST_P(BothClientsTest, CallsMayOutliveTheirClient) {
  Recorded sink;
  send(server_.url(), sink);
  auto peer = server_.accept();
  answer(peer, kStreamHead);
  on_loop([&] { clients_.reset(); });
  EXPECT_TRUE(peer.at_end() || peer.was_reset());
  on_loop([&] { calls_.clear(); });
  EXPECT_FALSE(sink.end);
}

// Above the limit a call waits until another one is over.
class FewConnectionsTest : public BothClientsTest {
 protected:
  FewConnectionsTest() {
    on_loop([&] {
      limits_.upstream_connections_max = 1;
      open();
    });
  }
};

TEST_P(FewConnectionsTest, WaitForEachOther) {
  Recorded first, second;
  send(server_.url("/1"), first);
  auto peer = server_.accept();
  send(server_.url("/2"), second);
  answer(peer, kStreamHead);
  EXPECT_TRUE(eventually([&] { return look<bool>([&] { return first.heads == 1; }); }));
  EXPECT_FALSE(server_.has_connection());
  peer.send("0\r\n\r\n");
  EXPECT_EQ(wait_end(first), CallEnd::kComplete);
  EXPECT_TRUE(answer(peer, kShort).starts_with("POST /2 "));
  EXPECT_EQ(wait_end(second), CallEnd::kComplete);
}

INSTANTIATE_TEST_SUITE_P(Http, BothClientsTest, testing::both_clients(), testing::name_of_client);
INSTANTIATE_TEST_SUITE_P(Http, FewConnectionsTest, testing::both_clients(), testing::name_of_client);

}  // namespace
}  // namespace braidlog
