// Many connections, and none left to open.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <deque>

#include "net/testing/server_fixture.h"

namespace braidlog {
namespace {

using testing::eventually;
using testing::RawClient;
using testing::RecordingObserver;

class HttpLoadTest : public testing::ServerTest {
 protected:
  HttpLoadTest() { ::getrlimit(RLIMIT_NOFILE, &before_); }
  ~HttpLoadTest() override { ::setrlimit(RLIMIT_NOFILE, &before_); }

  void allow_descriptors(rlim_t count) {
    rlimit limit = before_;
    limit.rlim_cur = std::min(count, before_.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }

  rlimit before_{};
};

TEST_F(HttpLoadTest, FiveThousandStreamsLeaveNothingBehind) {
  allow_descriptors(12'000);
  rlimit allowed{};
  ::getrlimit(RLIMIT_NOFILE, &allowed);
  const std::size_t count = std::min<std::size_t>(5'000, (allowed.rlim_cur - 200) / 2);

  // Exchanges are held by their thread's list, so that this test's own memory hardly counts.
  RecordingObserver observer;
  std::array<std::vector<std::shared_ptr<Exchange>>, 2> streams;
  for (auto& list : streams) list.reserve(count);
  handler_.request_script = [&](std::shared_ptr<Exchange> exchange) {
    exchange->begin_stream(HttpResponse::empty(200), ": keepalive\n\n", "data: hello\n\n", observer);
    streams[exchange->loop().index()].push_back(std::move(exchange));
  };
  start(2);
  std::vector<RawClient> clients;
  clients.reserve(count);
  { ASSERT_EQ(connect().connected(), true); }  // what is made once is not counted below
  const auto used_before = ::mallinfo2().uordblks;
  for (std::size_t i = 0; i < count; ++i) {
    auto& client = clients.emplace_back(connect());
    ASSERT_TRUE(client.connected());
    client.send(
        "GET /api/v1/sessions/01ARZ3NDEKTSV4RRFFQ69G5FAV/events?last_event_id=x HTTP/1.1\r\nHost: localhost:8000\r\n"
        "User-Agent: something/1.0 (with some words)\r\nAccept: text/event-stream\r\nCookie: "
        "session=0123456789abcdef\r\n\r\n");
  }
  ASSERT_TRUE(eventually([&] { return stats().streams_open == static_cast<std::int64_t>(count); }));
  const auto per_stream =
      (static_cast<double>(::mallinfo2().uordblks) - static_cast<double>(used_before)) / static_cast<double>(count);
  RecordProperty("bytes_per_stream", static_cast<int>(per_stream));
  EXPECT_LT(per_stream, 2'500);

  for (unsigned thread = 0; thread < 2; ++thread) {
    on_thread(thread, [&] {
      for (auto& exchange : streams[thread]) exchange->send("data: again\n\n");
    });
  }
  for (auto& client : clients) ASSERT_NE(client.read_until("data: again\n\n\r\n"), "");
  clients.clear();
  EXPECT_TRUE(eventually([&] { return stats().connections_open == 0; }));
  EXPECT_EQ(stats().streams_open, 0);
  EXPECT_EQ(observer.closed, static_cast<int>(count));
  stop();
}

TEST_F(HttpLoadTest, OutOfDescriptorsIs503AndTheAcceptLoopRests) {
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "the sanitizer opens a pipe to look at memory, and takes having none for a bad object";
#endif
  start();
  { EXPECT_EQ(connect().connected(), true); }
  EXPECT_TRUE(eventually([&] { return stats().connections_accepted == 1 && stats().connections_open == 0; }));
  allow_descriptors(128);
  std::vector<UniqueFd> fillers;
  while (UniqueFd filler{::open("/dev/null", O_RDONLY | O_CLOEXEC)}) fillers.push_back(std::move(filler));

  const auto begin = std::chrono::steady_clock::now();
  std::deque<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    fillers.pop_back();  // for the client; nothing is left for the server
    EXPECT_EQ(clients.emplace_back(server_->port()).read_response().status, 503);
  }
  // One refusal per rest: the loop did not run in between.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
  clients.clear();
  fillers.clear();
  auto client = connect();
  EXPECT_EQ(ask(client, "/").status, 200);
}

}  // namespace
}  // namespace braidlog
