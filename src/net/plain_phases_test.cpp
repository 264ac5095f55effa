// A PlainClient's calls on their way to a connection, and what is left of them when they end in the middle of it.
#include <gtest/gtest.h>

#include "net/plain_client.h"
#include "net/testing/plain_fixture.h"

namespace braidlog {
namespace {

using testing::eventually;
using testing::PlainClientTest;
using testing::RawClient;
using testing::RawServer;
using testing::Recorded;

TEST_F(PlainClientTest, LocalhostIsTriedInBothWays) {
  // The server listens on 127.0.0.1 alone: ::1 refuses.
  Recorded sink;
  send(at("localhost"), sink);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(names_->count(), 0) << "nobody needs to be asked";
}

TEST_F(PlainClientTest, AllAddressesOfANameAreTried) {
  names_->addresses["model.test"] = {v6("::1"), v4("127.0.0.3"), v4("127.0.0.1")};
  names_->addresses["nobody.test"] = {v6("::1"), v4("127.0.0.3")};
  Recorded sink, nobody, unknown;
  send(at("model.test"), sink);
  auto peer = server_.accept();
  EXPECT_NE(answer(peer, kShort).find("\r\nHost: model.test:"), std::string::npos);
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  send(at("nobody.test"), nobody);
  EXPECT_EQ(wait_end(nobody), CallEnd::kNotReached);
  send(at("unknown.test"), unknown);
  EXPECT_EQ(wait_end(unknown), CallEnd::kNotReached);
}

TEST_F(PlainClientTest, ANameIsAskedForOnce) {
  names_->addresses["model.test"] = {v4("127.0.0.1")};
  names_->set_answering(false);
  std::vector<Recorded> sinks(5);
  for (auto& sink : sinks) send(at("model.test"), sink);
  EXPECT_FALSE(server_.has_connection());
  names_->set_answering(true);
  for (int i = 0; i < 5; ++i) {
    auto peer = server_.accept();
    answer(peer, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
  }
  for (auto& sink : sinks) EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  Recorded later;
  send(at("model.test"), later);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(later), CallEnd::kComplete);
  EXPECT_EQ(names_->count(), 1);
}

TEST_F(PlainClientTest, ANameThatNobodyKnowsInTime) {
  names_->set_answering(false);
  Recorded sink;
  send(at("model.test"), sink);
  EXPECT_EQ(wait_end(sink), CallEnd::kConnectTimeout);
}

TEST_F(PlainClientTest, TheSystemKnowsThisMachine) {
  const auto addresses = look_up_host("localhost");
  EXPECT_FALSE(addresses.empty());
  EXPECT_TRUE(look_up_host("name.invalid").empty());
}

// A host whose door nobody answers, at the port of the server but at another address.
class SilentHostTest : public PlainClientTest {
 protected:
  SilentHostTest() : silent_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    SocketAddress address = v4("127.0.0.2");
    address.set_port(server_.port());
    EXPECT_EQ(::bind(silent_.get(), &address.any, address.size()), 0);
    EXPECT_EQ(::listen(silent_.get(), 0), 0);
    EXPECT_EQ(::connect(in_the_way_.get(), &address.any, address.size()), 0);
  }

  UniqueFd silent_, in_the_way_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

TEST_F(SilentHostTest, ASilentAddressLeavesTimeForTheNext) {
  names_->addresses["model.test"] = {v4("127.0.0.2"), v4("127.0.0.1")};
  Recorded sink;
  send(at("model.test"), sink);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

// The host answers its door at last, and speaks before the request is through.
TEST_F(SilentHostTest, ARefusalThatComesWithTheConnection) {
  limits_.upstream_connect_timeout = std::chrono::seconds(15);
  open_plain(1);
  Recorded sink;
  send({.url = at("127.0.0.2"), .body = std::string(16'000'000, 'x')}, sink);
  std::optional<RawClient> peer;
  on_loop([&] {
    const UniqueFd first(::accept(silent_.get(), nullptr, nullptr));
    peer.emplace(UniqueFd(::accept(silent_.get(), nullptr, nullptr)));
    peer->send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
  });
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.status, 413);
}

// Every place in which a call can be when it is given up, or its client goes. One connection is allowed: whoever keeps
// it after his end keeps the next one waiting.
class PhasesTest : public SilentHostTest, public ::testing::WithParamInterface<std::string> {
 protected:
  PhasesTest() { open_plain(1); }

  void reach() {
    const std::string phase = GetParam();
    if (phase == "resolving") {
      names_->set_answering(false);
      number_ = send(at("model.test"), sink_);
    } else if (phase == "connecting") {
      number_ = send(at("127.0.0.2"), sink_);
    } else if (phase == "ending") {
      // Refused at once; the sink would hear of it in the next task.
      on_loop([&] {
        number_ = calls_.size();
        calls_.push_back(start({.url = at("127.0.0.9"), .body = "{}"}, sink_));
        leave_();
      });
    } else if (phase == "held") {
      // Until the end of this round, on a connection that was kept.
      send(server_.url(), in_front_);
      peer_.emplace(server_.accept());
      answer(*peer_, kShort);
      EXPECT_EQ(wait_end(in_front_), CallEnd::kComplete);
      on_loop([&] {
        number_ = calls_.size();
        calls_.push_back(start({.url = server_.url(), .body = "{}"}, sink_));
        leave_();
      });
    } else if (phase == "waiting") {
      send(server_.url(), in_front_);
      number_ = send(server_.url(), sink_);
      peer_.emplace(server_.accept());
    } else {
      number_ = send({.url = server_.url(), .body = std::string(phase == "sending" ? 16'000'000 : 2, 'x')}, sink_);
      peer_.emplace(server_.accept());
      peer_->read_until("\r\n\r\n");
      if (phase == "head") peer_->send("HTTP/1.1 200 OK\r\nContent-");
      if (phase == "body") peer_->send(std::string(kStreamHead) + "3\r\none\r\n3\r\nt");
      if (phase == "body") EXPECT_TRUE(wait_body(sink_, "onet"));
    }
  }
  bool is_heard() {
    return look<bool>([&] { return sink_.end.has_value(); });
  }

  std::size_t number_ = 0;
  Recorded sink_, in_front_;
  std::optional<RawClient> peer_;
  std::function<void()> leave_ = [] {};
};

TEST_P(PhasesTest, TheCallIsDestroyed) {
  leave_ = [&] { calls_[number_].reset(); };
  reach();
  on_loop(leave_);
  Recorded next;
  if (GetParam() == "waiting") {
    answer(*peer_, kShort);
    EXPECT_EQ(wait_end(in_front_), CallEnd::kComplete);
    peer_.reset();
  }
  send(server_.url("/next"), next);
  auto peer = server_.accept();
  EXPECT_TRUE(answer(peer, kShort).starts_with("POST /next "));
  EXPECT_EQ(wait_end(next), CallEnd::kComplete);
  EXPECT_FALSE(is_heard());
}

TEST_P(PhasesTest, TheClientIsDestroyed) {
  leave_ = [&] { plain_.reset(); };
  reach();
  on_loop(leave_);
  if (peer_) {
    peer_->read_to_end();
  }
  names_->set_answering(true);
  on_loop([&] { calls_.clear(); });
  EXPECT_FALSE(is_heard());
}

INSTANTIATE_TEST_SUITE_P(Plain, PhasesTest,
                         ::testing::Values("resolving", "connecting", "ending", "held", "waiting", "sending",
                                           "unanswered", "head", "body"),
                         [](const auto& info) { return info.param; });

TEST_F(PlainClientTest, ACallbackMayDestroyOtherCalls) {
  std::vector<Recorded> sinks(4);
  std::vector<RawClient> peers;
  for (auto& sink : sinks) {
    sink.bytes_script = [&] { calls_.clear(); };
    send(server_.url(), sink);
    peers.push_back(server_.accept());
    answer(peers.back(), kStreamHead);
    EXPECT_TRUE(eventually([&] { return look<bool>([&] { return sink.heads == 1; }); }));
  }
  // All are ready when the loop looks next: events of connections that are gone by then are among them.
  on_loop([&] {
    for (auto& peer : peers) peer.send("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
  });
  for (auto& peer : peers) {
    peer.read_to_end();
  }
  std::size_t told = 0;
  on_loop([&] {
    for (const auto& sink : sinks) told += sink.body.empty() ? 0 : 1;
    for (const auto& sink : sinks) EXPECT_FALSE(sink.end);
  });
  EXPECT_EQ(told, 1u);
}

}  // namespace
}  // namespace braidlog
