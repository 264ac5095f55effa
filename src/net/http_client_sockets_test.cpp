#include "net/http_client_sockets.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <vector>

namespace braidlog {
namespace {

using std::chrono::milliseconds;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
    out = UniqueFd(ends[0]);
    in = UniqueFd(ends[1]);
  }
  void say() const { EXPECT_EQ(::write(in.get(), "x", 1), 1); }
  UniqueFd out, in;
};

class HttpClientSocketsTest : public ::testing::Test {
 protected:
  HttpClientSocketsTest() {
    auto made = HttpClientSockets::make(context_, [this](const epoll_event* first, int count) {
      for (const epoll_event* event = first; event != first + count; ++event) {
        std::array<char, 64> bytes{};
        heard_ += ::read(event->data.fd, bytes.data(), bytes.size());
      }
    });
    EXPECT_TRUE(made);
    sockets_ = std::move(*made);
    for (const Pipe& pipe : pipes_) sockets_->add(pipe.out.get(), EPOLLIN);
  }
  void hear_until(std::int64_t count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (heard_ < count && std::chrono::steady_clock::now() < end) context_.run_for(milliseconds(1));
    EXPECT_EQ(heard_, count);
  }

  boost::asio::io_context context_{1};
  std::vector<Pipe> pipes_ = std::vector<Pipe>(300);
  std::unique_ptr<HttpClientSockets> sockets_;
  std::int64_t heard_ = 0;
};

TEST_F(HttpClientSocketsTest, NothingIsMissedWhenVeryManySpeakNorAfterwards) {
  std::int64_t said = 0;
  for (int round = 0; round < 100; ++round) {
    for (const Pipe& pipe : pipes_) pipe.say();
    said += std::ssize(pipes_);
    context_.run_for(milliseconds(1));
  }
  hear_until(said);
  context_.run_for(2 * ReadPace::kWindow);
  // One alone, again and again: each is heard though nobody else speaks.
  for (int i = 0; i < 20; ++i) {
    pipes_[static_cast<std::size_t>(i)].say();
    hear_until(++said);
  }
}

TEST_F(HttpClientSocketsTest, TheClientMayGoWhileItWaitsForTheNextLook) {
  for (int round = 0; round < 30; ++round) {
    for (const Pipe& pipe : pipes_) pipe.say();
    context_.run_for(milliseconds(1));
  }
  for (const Pipe& pipe : pipes_) pipe.say();
  sockets_.reset();
  const auto heard = heard_;
  context_.run_for(milliseconds(10));
  EXPECT_EQ(heard_, heard);
}

}  // namespace
}  // namespace braidlog
