// Streams: sending, ending both ways, slow readers, clients that leave, and moving between threads.
#include <gtest/gtest.h>

#include "net/testing/server_fixture.h"

namespace braidlog {
namespace {

using std::chrono::milliseconds;
using testing::eventually;
using testing::RawClient;
using testing::RecordingObserver;

HttpResponse stream_head() {
  auto head = HttpResponse::empty(200);
  head.set("Content-Type", "text/event-stream");
  return head;
}

class HttpStreamTest : public testing::ServerTest {
 protected:
  // Asks for a stream and begins it on the thread of its exchange.
  std::shared_ptr<Exchange> open_stream(RawClient& client, StreamObserver& observer, const std::string& first = "") {
    const auto index = opened_++;
    client.send("GET /stream?x=1 HTTP/1.1\r\nHost: a\r\n\r\n");
    auto exchange = held(index);
    on_thread(exchange->loop().index(), [&] { exchange->begin_stream(stream_head(), "", first, observer); });
    return exchange;
  }

  std::size_t opened_ = 0;
};

TEST_F(HttpStreamTest, SendsChunksAndGoesOnWithTheNextRequest) {
  hold_requests();
  start();
  auto client = connect();
  RecordingObserver observer;
  auto exchange = open_stream(client, observer, "data: 0\n\n");
  const auto head = client.read_response();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("Transfer-Encoding"), "chunked");
  EXPECT_EQ(head.headers.at("Content-Type"), "text/event-stream");
  EXPECT_FALSE(head.headers.contains("Content-Length"));
  EXPECT_EQ(client.read_chunk(), "data: 0\n\n");
  EXPECT_EQ(stats().streams_open, 1);
  on_thread(0, [&] {
    EXPECT_EQ(exchange->request().path, "/stream");
    exchange->send("data: 1\n\n");
    exchange->send("");  // an empty chunk would end the stream
    exchange->send("data: 2\n\n");
    exchange->finish();
    exchange->send("data: 3\n\n");
    exchange->abort();
  });
  EXPECT_EQ(client.read_chunk(), "data: 1\n\n");
  EXPECT_EQ(client.read_chunk(), "data: 2\n\n");
  EXPECT_EQ(client.read_chunk(), "");
  EXPECT_EQ(stats().streams_open, 0);
  client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
  auto next = held(1);
  on_thread(0, [&] { next->respond(HttpResponse::json(200, "next")); });
  EXPECT_EQ(client.read_response().body, "next");
  EXPECT_EQ(observer.closed + observer.drained, 0);
}

TEST_F(HttpStreamTest, WholeStreamInsideTheRequestCall) {
  RecordingObserver observer;
  handler_.request_script = [&](std::shared_ptr<Exchange> exchange) {
    exchange->begin_stream(stream_head(), "", "a", observer);
    exchange->send("b");
    exchange->finish();
  };
  start();
  auto client = connect();
  client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client.read_response().status, 200);
    EXPECT_EQ(client.read_until("0\r\n\r\n"), "1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
  }
}

// So that a client who is told much at a time is woken for it once.
TEST_F(HttpStreamTest, TheFirstBytesGoOutWithThoseOfTheSameRound) {
  hold_requests();
  start();
  auto client = connect();
  client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  auto exchange = held();
  RecordingObserver observer;
  const auto sent_before = stats().bytes_sent;
  on_thread(exchange->loop().index(), [&] {
    exchange->begin_stream(stream_head(), "", "a", observer);
    EXPECT_EQ(stats().bytes_sent, sent_before);
    EXPECT_EQ(exchange->unsent_bytes(), 0u) << "nothing is in the way";
    exchange->send("b");
    EXPECT_GT(stats().bytes_sent, sent_before) << "and nothing is held back any longer";
  });
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_EQ(client.read_chunk() + client.read_chunk(), "ab");
  on_thread(exchange->loop().index(), [&] { exchange->finish(); });
  EXPECT_EQ(client.read_chunk(), "");
  EXPECT_EQ(observer.drained, 0);
}

TEST_F(HttpStreamTest, AStreamThatIsAbortedAsItBeginsHasItsHead) {
  RecordingObserver observer;
  handler_.request_script = [&](std::shared_ptr<Exchange> exchange) {
    exchange->begin_stream(stream_head(), "", "a", observer);
    exchange->abort();
  };
  start();
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_EQ(client.read_to_end(), "1\r\na\r\n");
  EXPECT_EQ(stats().streams_open, 0);
}

TEST_F(HttpStreamTest, AFirstPieceThatTheSocketDoesNotTakeAtOnceComesWhole) {
  hold_requests();
  start();
  auto client = connect();
  RecordingObserver observer;
  const std::string first(40'000'000, 'x');
  auto exchange = open_stream(client, observer, first);
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_EQ(client.read_chunk().size(), first.size());
  EXPECT_TRUE(eventually([&] { return observer.drained == 1; }));
  on_thread(exchange->loop().index(), [&] { exchange->finish(); });
  EXPECT_EQ(client.read_chunk(), "");
}

TEST_F(HttpStreamTest, Http10EndsByClosing) {
  hold_requests();
  start();
  auto client = connect();
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  auto exchange = held();
  RecordingObserver observer;
  on_thread(0, [&] {
    exchange->begin_stream(stream_head(), "", "a", observer);
    exchange->send("b");
    exchange->finish();
  });
  const auto head = client.read_response();
  EXPECT_FALSE(head.headers.contains("Transfer-Encoding"));
  EXPECT_EQ(head.headers.at("Connection"), "close");
  EXPECT_EQ(client.read_to_end(), "ab");
  EXPECT_FALSE(client.was_reset());
}

TEST_F(HttpStreamTest, AbortDoesNotLookLikeAnEnd) {
  hold_requests();
  start();
  for (const char* version : {"HTTP/1.0", "HTTP/1.1"}) {
    auto client = connect();
    client.send("GET / " + std::string(version) + "\r\nHost: a\r\n\r\n");
    auto exchange = held(opened_++);
    RecordingObserver observer;
    on_thread(0, [&] { exchange->begin_stream(stream_head(), "", "abc", observer); });
    client.read_until("abc");
    on_thread(0, [&] { exchange->abort(); });
    EXPECT_EQ(client.read_to_end().find("0\r\n\r\n"), std::string::npos);
    EXPECT_TRUE(client.was_reset());
    EXPECT_EQ(observer.closed, 0);
    EXPECT_EQ(stats().connections_open, 0);
  }
}

// Small pieces are put together before they are sent, large ones are not.
TEST_F(HttpStreamTest, PiecesOfEverySizeComeWholeAndAreCounted) {
  hold_requests();
  start(2);
  RecordingObserver observer;
  std::uint64_t received = 0;
  for (std::size_t i = 0; i < 2; ++i) {  // one on each thread
    auto client = connect();
    auto exchange = open_stream(client, observer);
    received += client.read_until("\r\n\r\n").size();
    for (const std::size_t size : {1, 15, 16, 300, 2000, 2040, 2041, 2042, 2043, 2044, 2048, 2049, 4096, 70'000}) {
      const std::string piece(size, static_cast<char>('a' + size % 26));
      on_thread(exchange->loop().index(), [&] { exchange->send(piece); });
      const auto line = client.read_until("\r\n"), bytes = client.read_bytes(size + 2);
      EXPECT_EQ(std::stoul(line, nullptr, 16), size);
      EXPECT_EQ(bytes, piece + "\r\n");
      received += line.size() + bytes.size();
    }
    on_thread(exchange->loop().index(), [&] { exchange->finish(); });
    received += client.read_until("0\r\n\r\n").size();
  }
  EXPECT_NE(held(0)->loop().index(), held(1)->loop().index());
  // The count follows the system call, which may be read from before it returns.
  EXPECT_TRUE(eventually([&] { return stats().bytes_sent == received; })) << stats().bytes_sent << " " << received;
}

// Every byte of a small piece of which the socket took a part.
TEST_F(HttpStreamTest, ASlowReaderOfSmallPiecesGetsAllOfThem) {
  hold_requests();
  start();
  auto client = connect(4096);
  RecordingObserver observer;
  auto exchange = open_stream(client, observer);
  std::vector<std::string> pieces;
  on_thread(0, [&] {
    while (exchange->unsent_bytes() < 20'000) {
      pieces.push_back(std::to_string(pieces.size()) + std::string(1'500, 'x'));
      exchange->send(pieces.back());
    }
    exchange->finish();
  });
  EXPECT_EQ(client.read_response().status, 200);
  for (const auto& piece : pieces) ASSERT_EQ(client.read_chunk(), piece);
  EXPECT_EQ(client.read_chunk(), "");
}

TEST_F(HttpStreamTest, ASlowReaderFillsABoundedRestAndDrainsIt) {
  hold_requests();
  start();
  auto client = connect(4096);
  RecordingObserver observer;
  auto exchange = open_stream(client, observer);
  const std::string piece(64 * 1024, 'x');
  std::size_t pieces = 0;
  on_thread(0, [&] {
    while (exchange->unsent_bytes() == 0) {
      exchange->send(piece);
      ++pieces;
    }
    EXPECT_LE(exchange->unsent_bytes(), piece.size() + 16);
  });
  EXPECT_EQ(observer.drained, 0);
  EXPECT_EQ(client.read_response().status, 200);
  for (std::size_t i = 0; i < pieces; ++i) ASSERT_EQ(client.read_chunk(), piece);
  EXPECT_TRUE(eventually([&] { return observer.drained == 1; }));
  on_thread(0, [&] {
    EXPECT_EQ(exchange->unsent_bytes(), 0U);
    exchange->finish();
  });
  EXPECT_EQ(client.read_chunk(), "");
}

TEST_F(HttpStreamTest, FinishWithARestSendsAllOfIt) {
  hold_requests();
  start();
  auto client = connect(4096);
  RecordingObserver observer;
  auto exchange = open_stream(client, observer);
  const std::string piece(64 * 1024, 'x');
  std::size_t sent = 0;
  on_thread(0, [&] {
    while (exchange->unsent_bytes() < 3 * piece.size()) {
      exchange->send(piece);
      sent += piece.size();
    }
    exchange->finish();
  });
  EXPECT_EQ(client.read_response().status, 200);
  std::size_t received = 0;
  for (std::string chunk; !(chunk = client.read_chunk()).empty();) received += chunk.size();
  EXPECT_EQ(received, sent);
  EXPECT_EQ(observer.drained, 0);
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(held(1)->request().path, "/");
}

TEST_F(HttpStreamTest, HearsThatAClientLeaves) {
  hold_requests();
  start();
  for (const bool reset : {false, true}) {
    auto client = connect();
    RecordingObserver observer;
    auto exchange = open_stream(client, observer, "a");
    client.read_until("\r\na\r\n");
    if (reset) client.set_reset_on_close();
    client.close();
    EXPECT_TRUE(eventually([&] { return observer.closed == 1; }));
    EXPECT_EQ(stats().streams_open, 0);
    EXPECT_EQ(stats().connections_open, 0);
    on_thread(0, [&] {
      exchange->send("b");
      exchange->finish();
    });
  }
}

TEST_F(HttpStreamTest, AWriteThatFailsIsHeardOutsideOfSend) {
  hold_requests();
  start();
  auto client = connect();
  RecordingObserver observer;
  auto exchange = open_stream(client, observer, "a");
  client.read_until("\r\na\r\n");
  on_thread(0, [&] {
    client.set_reset_on_close();
    client.close();  // while the thread is busy here: only the writes can find out
    for (int i = 0; i < 1000; ++i) {
      exchange->send("b");
      EXPECT_EQ(observer.closed, 0);
    }
  });
  EXPECT_TRUE(eventually([&] { return observer.closed == 1; }));
  EXPECT_EQ(stats().connections_open, 0);
}

TEST_F(HttpStreamTest, ARequestSentDuringAStreamWaitsAndDoesNotSpin) {
  hold_requests();
  start();
  auto client = connect();
  RecordingObserver observer;
  auto exchange = open_stream(client, observer, "a");
  client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
  client.read_until("\r\na\r\n");
  on_thread(0, [&] { exchange->send("b"); });
  EXPECT_EQ(client.read_chunk(), "b");
  EXPECT_EQ(handler_.requests, 1);
  on_thread(0, [&] { exchange->finish(); });
  EXPECT_EQ(client.read_chunk(), "");
  EXPECT_EQ(held(1)->request().target, "/next");
}

TEST_F(HttpStreamTest, MovesBetweenThreadsInMidKeepAlive) {
  RecordingObserver observer;
  std::shared_ptr<Exchange> streaming;
  handler_.request_script = [&](std::shared_ptr<Exchange> exchange) {
    const unsigned target = 1 - exchange->loop().index();
    auto* raw = exchange.get();
    raw->move_to(target, [&, target, exchange = std::move(exchange)] {
      EXPECT_EQ(exchange->loop().index(), target);
      if (exchange->request().path == "/stream") {
        exchange->begin_stream(stream_head(), "", "first", observer);
        hold(exchange);
      } else {
        exchange->respond(HttpResponse::json(200, exchange->request().path + std::to_string(target)));
      }
    });
  };
  start(2);
  auto client = connect();
  EXPECT_EQ(ask(client, "/").body, "/1");
  EXPECT_EQ(ask(client, "/").body, "/0");
  client.send(
      "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\nGET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.read_response().body, "/a1");
  EXPECT_EQ(client.read_response().body, "/b0");
  auto exchange = held();
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_EQ(client.read_chunk(), "first");
  on_thread(1, [&] {
    exchange->send("second");
    exchange->finish();
  });
  EXPECT_EQ(client.read_chunk(), "second");
  EXPECT_EQ(client.read_chunk(), "");
  EXPECT_EQ(ask(client, "/").body, "/0");
}

TEST_F(HttpStreamTest, AMoveToTheSameThreadIsNoMove) {
  handler_.request_script = [](std::shared_ptr<Exchange> exchange) {
    auto* raw = exchange.get();
    raw->move_to(raw->loop().index(), [exchange = std::move(exchange)] {
      EXPECT_EQ(exchange->loop().index(), 0U);
      exchange->respond(HttpResponse::json(200, "here"));
    });
  };
  start();
  auto client = connect();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(client, "/").body, "here");
}

TEST_F(HttpStreamTest, MoveRunsAlsoWhenTheClientHasGone) {
  std::atomic<int> arrived{0};
  hold_requests();
  start(2);
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  auto exchange = held();
  client.close();
  EXPECT_TRUE(eventually([&] { return stats().connections_open == 0; }));
  on_thread(0, [&] {
    exchange->move_to(1, [&] {
      EXPECT_EQ(exchange->loop().index(), 1U);
      exchange->respond(HttpResponse::empty(200));
      ++arrived;
    });
  });
  EXPECT_TRUE(eventually([&] { return arrived == 1; }));
}

TEST_F(HttpStreamTest, AThousandMovesUnderFire) {
  handler_.request_script = [&](std::shared_ptr<Exchange> exchange) {
    auto* raw = exchange.get();
    raw->move_to(1 - raw->loop().index(), [exchange = std::move(exchange)] {
      exchange->respond(HttpResponse::json(200, exchange->request().target));
    });
  };
  start(2);
  std::vector<std::thread> clients;
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back([this, c] {
      for (int round = 0; round < 25; ++round) {
        auto client = connect();
        for (int i = 0; i < 10; ++i) EXPECT_EQ(ask(client, "/").status, 200);
        if (round % 2 == 0) client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");  // left while it moves
        if (c % 2 == 0) client.set_reset_on_close();
      }
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_TRUE(eventually([&] { return stats().connections_open == 0; }));
}

TEST_F(HttpStreamTest, StreamsSurviveStopAccepting) {
  hold_requests();
  start();
  auto client = connect();
  RecordingObserver observer;
  auto exchange = open_stream(client, observer, "a");
  client.read_until("\r\na\r\n");
  server_->stop_accepting();
  on_thread(0, [&] { exchange->send("b"); });
  EXPECT_EQ(client.read_chunk(), "b");
  on_thread(0, [&] { exchange->finish(); });
  EXPECT_EQ(client.read_chunk(), "");
  EXPECT_TRUE(client.at_end());
}

TEST_F(HttpStreamTest, TheEndOfTheServerClosesStreams) {
  hold_requests();
  start(2);
  auto first = connect(), second = connect();
  RecordingObserver observer;
  open_stream(first, observer, "a");
  open_stream(second, observer, "a");
  server_.reset();
  EXPECT_EQ(observer.closed, 2);
}

}  // namespace
}  // namespace braidlog
