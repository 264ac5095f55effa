// A PlainClient that reads a stream: what it tells the kernel of its sockets, and that nothing of an answer is missed,
// however its bytes, its end and the end of its connection fall together.
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>

#include "net/plain_client.h"
#include "net/testing/plain_fixture.h"

namespace braidlog {
namespace {

using testing::eventually;
using testing::PlainClientTest;
using testing::RawClient;
using testing::Recorded;

class PlainStreamTest : public PlainClientTest {
 protected:
  void wait_head(const Recorded& sink) {
    EXPECT_TRUE(eventually([&] { return look<bool>([&] { return sink.heads == 1; }); }));
  }
  RawClient begin(Recorded& sink) {
    send(server_.url(), sink);
    auto peer = server_.accept();
    answer(peer, kStreamHead);
    wait_head(sink);
    return peer;
  }
  // One piece, which the client has read when this returns.
  void say(RawClient& peer, const Recorded& sink, const std::string& piece) {
    const auto length = look<std::size_t>([&] { return sink.body.size(); }) + piece.size();
    peer.send(chunk(piece));
    EXPECT_TRUE(eventually([&] { return look<bool>([&] { return sink.body.size() == length; }); }));
  }
  static std::string chunk(const std::string& bytes) {
    char size[20];
    (void)std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    return size + bytes + "\r\n";
  }
  // The client's end of its only connection, found among the descriptors of this process.
  int client_socket() const {
    for (int fd = 0; fd < 1024; ++fd) {
      sockaddr_in peer{};
      socklen_t size = sizeof peer;
      if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
      if (peer.sin_family == AF_INET && ntohs(peer.sin_port) == server_.port()) return fd;
    }
    ADD_FAILURE() << "the client has no connection";
    return -1;
  }
  static constexpr const char* kLastChunk = "0\r\n\r\n";
};

// ---- acknowledgements ----

class AcknowledgementTest : public PlainStreamTest {
 protected:
  // Whether every read sends an acknowledgement.
  static bool is_quick(int socket) {
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(socket, IPPROTO_TCP, TCP_QUICKACK, &value, &size), 0);
    return value != 0;
  }
  // The same at each piece, asked when it is read: left alone, the kernel changes its mind after a while.
  std::vector<bool> quickness_at_pieces(RawClient& peer, Recorded& sink, int socket, int pieces) {
    std::vector<bool> out;
    sink.bytes_script = [&] { out.push_back(is_quick(socket)); };
    for (int i = 0; i < pieces; ++i) say(peer, sink, "piece");
    on_loop([&] { sink.bytes_script = nullptr; });
    peer.send(kLastChunk);
    EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
    return out;
  }
};

TEST_F(AcknowledgementTest, NotOneForEachPieceOnceAStreamFlows) {
  Recorded first, second;
  auto peer = begin(first);
  const int socket = client_socket();
  const std::vector<bool> expected{true, true, true, true, true, true, false};
  EXPECT_EQ(quickness_at_pieces(peer, first, socket, 7), expected) << "the head is the first of eight reads";

  send(server_.url(), second);
  answer(peer, kStreamHead);
  wait_head(second);
  EXPECT_TRUE(eventually([&] { return is_quick(socket); }));
  EXPECT_EQ(quickness_at_pieces(peer, second, socket, 7), expected) << "the next answer on the same connection";
}

TEST_F(AcknowledgementTest, LargePiecesAreNoStreamOfTokens) {
  Recorded sink;
  auto peer = begin(sink);
  const int socket = client_socket();
  for (int i = 0; i < 20; ++i) say(peer, sink, std::string(8'000, 'x'));
  EXPECT_TRUE(is_quick(socket));
}

TEST_F(AcknowledgementTest, AnUpstreamThatWaitsForThemIsNotHeldUpForLong) {
  Recorded sink;
  auto peer = begin(sink);  // with Nagle's algorithm: nobody turned it off
  constexpr int kPieces = 60;
  int late = 0;
  for (int i = 0; i < kPieces; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    say(peer, sink, "piece " + std::to_string(i));
    if (std::chrono::steady_clock::now() - begun > std::chrono::milliseconds(30)) ++late;
  }
  EXPECT_LT(late, kPieces / 4);
  peer.send(kLastChunk);
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_TRUE(look<std::string>([&] { return sink.body; }).ends_with("piece 58piece 59"));
}

// ---- what is read of a socket that says once that it is ready ----

constexpr std::size_t kBufferBytes = 64 * 1024;  // that a client reads at most at once
constexpr const char* kUntilClose = "HTTP/1.1 200 OK\r\n\r\n";

TEST_F(PlainStreamTest, BytesAndTheEndOfTheConnectionInOneEvent) {
  Recorded sink;
  send(server_.url(), sink);
  auto peer = server_.accept();
  on_loop([&] {
    answer(peer, std::string(kUntilClose) + "all of it");
    peer.shut_write();
  });
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.body, "all of it");
}

TEST_F(PlainStreamTest, TheEndOfTheConnectionAfterTheBytes) {
  Recorded sink;
  send(server_.url(), sink);
  auto peer = server_.accept();
  answer(peer, std::string(kUntilClose) + "all of it");
  EXPECT_TRUE(wait_body(sink, "all of it"));
  peer.shut_write();
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

TEST_F(PlainStreamTest, TheEndOfTheConnectionWhileTheBytesAreRead) {
  Recorded sink;
  std::optional<RawClient> peer;
  sink.bytes_script = [&] {
    if (sink.body != "one") return;
    peer->send(" and two");
    peer->shut_write();
  };
  send(server_.url(), sink);
  peer.emplace(server_.accept());
  answer(*peer, std::string(kUntilClose) + "one");
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.body, "one and two");
}

TEST_F(PlainStreamTest, AResetInOneEventWithTheBytes) {
  Recorded sink;
  send(server_.url(), sink);
  auto peer = server_.accept();
  on_loop([&] {
    answer(peer, std::string(kUntilClose) + "half of it");
    peer.set_reset_on_close();
    peer.close();
  });
  EXPECT_EQ(wait_end(sink), CallEnd::kCut);
}

// Whoever closes behind a whole answer leaves no connection that another call could take.
TEST_F(PlainStreamTest, TheEndOfTheConnectionBehindAWholeAnswer) {
  Recorded sink, next;
  send(server_.url(), sink);
  auto peer = server_.accept();
  on_loop([&] {
    answer(peer, kShort);
    peer.shut_write();
  });
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_TRUE(peer.at_end());
  send(server_.url(), next);
  auto fresh = server_.accept();
  answer(fresh, kShort);
  EXPECT_EQ(wait_end(next), CallEnd::kComplete);
}

TEST_F(PlainStreamTest, AnAnswerThatFillsTheBufferAndBytesBehindIt) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBufferBytes - 42) + "\r\n\r\n";
  const std::string whole = head + std::string(kBufferBytes - 42, 'x');
  ASSERT_EQ(whole.size(), kBufferBytes);
  Recorded warm_up, sink;
  send(server_.url(), warm_up);
  auto peer = server_.accept();
  answer(peer,
         "HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" + std::string(5'000'000, 'x'));  // widens the window
  EXPECT_EQ(wait_end(warm_up), CallEnd::kComplete);
  send(server_.url(), sink);
  on_loop([&] { answer(peer, whole + "HTTP/1.1 408 Request Timeout\r\n\r\n"); });
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_TRUE(peer.at_end() || peer.was_reset());
}

TEST_F(PlainStreamTest, MoreThanIsReadInOneRound) {
  Recorded sink;
  auto peer = begin(sink);
  // The kernel widens the window of who reads much.
  say(peer, sink, std::string(20'000'000, 'x'));
  const int socket = client_socket();
  constexpr int kOfARound = 8 * static_cast<int>(kBufferBytes);
  int queued = 0;
  on_loop([&] {
    peer.send(chunk(std::string(2'000'000, 'y')));
    eventually([&] { return ::ioctl(socket, FIONREAD, &queued) != 0 || queued > kOfARound; });
  });
  EXPECT_GT(queued, kOfARound) << "shows nothing";
  EXPECT_TRUE(eventually([&] { return look<bool>([&] { return sink.body.size() == 22'000'000; }); }));
}

}  // namespace
}  // namespace braidlog
