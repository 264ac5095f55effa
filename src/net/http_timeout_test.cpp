// What time does to a connection, with limits small enough to wait for.
#include <gtest/gtest.h>

#include "net/testing/server_fixture.h"

namespace braidlog {
namespace {

using std::chrono::milliseconds;
using testing::eventually;
using testing::RecordingObserver;

class HttpTimeoutTest : public testing::ServerTest {
 protected:
  static std::int64_t elapsed_ms(std::chrono::steady_clock::time_point since) {
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - since).count();
  }
};

TEST_F(HttpTimeoutTest, ASlowHeadIsEndedHoweverItTrickles) {
  limits_.header_timeout = milliseconds(100);
  start();
  auto client = connect();
  const auto begin = std::chrono::steady_clock::now();
  client.send("GET /slow HTTP/1.1\r\nX: ");
  // Bytes keep coming: the limit counts from the first one.
  EXPECT_TRUE(eventually([&] {
    client.send("x");
    return stats().bad_requests == 1;
  }));
  EXPECT_GE(elapsed_ms(begin), 100);
  const auto response = client.read_response();
  EXPECT_EQ(response.status, 408);
  EXPECT_EQ(response.body, "{\"status\":408,\"path\":\"/slow\"}");
}

TEST_F(HttpTimeoutTest, ASilentBodyIsEnded) {
  limits_.body_timeout = milliseconds(60);
  start();
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
  EXPECT_EQ(client.read_response().status, 408);
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(stats().body_bytes_in_flight, 0);
  EXPECT_EQ(handler_.requests, 0);
}

TEST_F(HttpTimeoutTest, ATricklingBodyIsEndedToo) {
  limits_.body_timeout = milliseconds(80);
  handler_.body_bytes_max = 1'000'000;
  start();
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  // A byte every few milliseconds is never silent for long; its average pace ends it.
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(milliseconds(4));
    client.send("x");
    return stats().bad_requests == 1;
  }));
  EXPECT_EQ(client.read_response().status, 408);
}

TEST_F(HttpTimeoutTest, AnIdleConnectionIsClosedInSilence) {
  limits_.idle_timeout = milliseconds(60);
  start();
  auto fresh = connect();
  EXPECT_TRUE(fresh.at_end());
  auto used = connect();
  EXPECT_EQ(ask(used, "/").status, 200);
  EXPECT_TRUE(used.at_end());
  EXPECT_EQ(handler_.transport_errors, 0);
}

TEST_F(HttpTimeoutTest, ARequestThatIsBeingAnsweredHasNoLimitHere) {
  limits_.idle_timeout = limits_.header_timeout = limits_.body_timeout = milliseconds(20);
  hold_requests();
  start();
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  auto exchange = held();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually([&] { return elapsed_ms(begin) > 80; }));
  on_thread(0, [&] { exchange->respond(HttpResponse::json(200, "late")); });
  EXPECT_EQ(client.read_response().body, "late");
}

TEST_F(HttpTimeoutTest, ASilentStreamIsKeptAlive) {
  limits_.keepalive_interval = milliseconds(50);
  hold_requests();
  start();
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  RecordingObserver observer;
  auto exchange = held();
  on_thread(0, [&] { exchange->begin_stream(HttpResponse::empty(200), ": keepalive\n\n", "", observer); });
  EXPECT_EQ(client.read_response().status, 200);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.read_chunk(), ": keepalive\n\n");
  EXPECT_GE(elapsed_ms(begin), 100);
  on_thread(0, [&] { exchange->finish(); });
}

TEST_F(HttpTimeoutTest, AStalledReaderIsClosed) {
  limits_.stall_timeout = milliseconds(150);
  hold_requests();
  start();
  auto client = connect(4096);
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  RecordingObserver observer;
  auto exchange = held();
  const std::string piece(64 * 1024, 'x');
  on_thread(0, [&] {
    exchange->begin_stream(HttpResponse::empty(200), ": keepalive\n\n", "", observer);
    while (exchange->unsent_bytes() == 0) exchange->send(piece);
  });
  EXPECT_TRUE(eventually([&] { return observer.closed == 1; }));
  EXPECT_EQ(stats().streams_stalled, 1U);
  EXPECT_EQ(stats().streams_open, 0);
  EXPECT_EQ(stats().connections_open, 0);
  on_thread(0, [&] {
    EXPECT_EQ(exchange->unsent_bytes(), 0U);
    exchange->send("x");
    exchange->finish();
  });
  const std::string all = client.read_to_end();
  EXPECT_TRUE(client.was_reset());  // a cut stream does not look complete
  EXPECT_FALSE(all.ends_with("0\r\n\r\n"));
}

TEST_F(HttpTimeoutTest, AStalledReaderOfAPlainResponseIsClosed) {
  limits_.stall_timeout = milliseconds(100);
  const std::string big(32 * 1024 * 1024, 'x');
  handler_.request_script = [&](std::shared_ptr<Exchange> exchange) {
    exchange->respond(HttpResponse::json(200, big));
  };
  start();
  auto client = connect(4096);
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return stats().requests == 1 && stats().connections_open == 0; }));
}

}  // namespace
}  // namespace braidlog
