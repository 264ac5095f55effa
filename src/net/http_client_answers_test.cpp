// What counts as an answer, and where it ends: libcurl and the client for plain http agree.
#include <gtest/gtest.h>

#include "net/http_client.h"
#include "net/testing/client_fixture.h"

namespace braidlog {
namespace {

using testing::BothClientsTest;
using testing::eventually;
using testing::Recorded;

class HttpAnswersTest : public BothClientsTest {
 protected:
  // Asks, answers, and closes when told to.
  void ask(const std::string& response, Recorded& sink, bool closes) {
    send(server_.url(), sink);
    auto peer = server_.accept();
    answer(peer, response);
    if (closes) peer.shut_write();
    EXPECT_TRUE(wait_end(sink)) << response.substr(0, 200);
    on_loop([&] { calls_.clear(); });
    peer.close();
  }
};

TEST_P(HttpAnswersTest, WholeOnes) {
  const struct {
    std::string response, body;
    int status = 200;
    bool closes = false;
  } cases[] = {
      {"HTTP/1.1 204 No Content\r\n\r\n", "", 204},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "", 304},
      {"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", ""},
      {"HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "ok"},
      {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"},
      {"HTTP/1.0 200 OK\r\n\r\nok", "ok", 200, true},
      {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", "", 200, true},
      {"HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh:2 \r\n\r\nok", "ok"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", "ok"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "ok"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n1;a=b\r\no\r\n01\r\nk\r\n0\r\nT: 1\r\nU: 2\r\n\r\n", "ok"},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nA: b\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: "
       "2\r\n\r\nok",
       "ok", 500},
  };
  for (const auto& [response, body, status, closes] : cases) {
    Recorded sink;
    ask(response, sink, closes);
    EXPECT_EQ(sink.end, CallEnd::kComplete) << response;
    EXPECT_EQ(sink.heads, 1) << response;
    EXPECT_EQ(sink.status, status) << response;
    EXPECT_EQ(sink.body, body) << response;
  }
}

TEST_P(HttpAnswersTest, BrokenOnesAreCutWithoutWaitingForMore) {
  const struct {
    std::string response;
    int heads;
  } cases[] = {
      {"SSH-2.0-OpenSSH\r\n", 0},
      {"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", 0},
      {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 0},
      {"HTTP/1.1 200 OK\r\nno field\r\n\r\n", 0},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 1},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n", 1},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11111111111111111\r\n", 1},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(200'000, 'x') + "\r\n\r\n", 0},
  };
  for (const auto& [response, heads] : cases) {
    Recorded sink;
    ask(response, sink, false);
    EXPECT_EQ(sink.end, CallEnd::kCut) << response.substr(0, 200);
    EXPECT_EQ(sink.heads, heads) << response.substr(0, 200);
  }
}

TEST_P(HttpAnswersTest, TheLastHeaderOfAName) {
  Recorded sink;
  ask("HTTP/1.1 200 OK\r\nContent-Type: a\r\ncontent-type:  b/c; d=e \r\nContent-Length: 0\r\n\r\n", sink, false);
  EXPECT_EQ(sink.content_type, "b/c; d=e");
}

TEST_P(HttpAnswersTest, AResetIsNoEnd) {
  Recorded sink;
  send(server_.url(), sink);
  auto peer = server_.accept();
  answer(peer, "HTTP/1.1 200 OK\r\n\r\nuntil");
  EXPECT_TRUE(wait_body(sink, "until"));
  peer.set_reset_on_close();
  peer.close();
  EXPECT_EQ(wait_end(sink), CallEnd::kCut);
}

TEST_P(HttpAnswersTest, AConnectionThatIsToCloseIsNotUsedAgain) {
  for (const char* response : {"HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 2\r\n\r\nok",
                               "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"}) {
    Recorded first, second;
    send(server_.url(), first);
    auto peer = server_.accept();
    answer(peer, response);
    EXPECT_EQ(wait_end(first), CallEnd::kComplete);
    EXPECT_TRUE(peer.at_end()) << response;
    send(server_.url(), second);
    auto next = server_.accept();
    answer(next, response);
    EXPECT_EQ(wait_end(second), CallEnd::kComplete);
  }
}

TEST_P(HttpAnswersTest, AKeptConnectionOfHttp10IsUsedAgain) {
  constexpr const char* kKept = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok";
  Recorded first, second;
  send(server_.url(), first);
  auto peer = server_.accept();
  answer(peer, kKept);
  EXPECT_EQ(wait_end(first), CallEnd::kComplete);
  send(server_.url(), second);
  answer(peer, kKept);
  EXPECT_EQ(wait_end(second), CallEnd::kComplete);
}

INSTANTIATE_TEST_SUITE_P(Http, HttpAnswersTest, testing::both_clients(), testing::name_of_client);

}  // namespace
}  // namespace braidlog
