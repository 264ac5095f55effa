// Requests with rules: where they may not go, however the address is written.
#include <gtest/gtest.h>

#include <cstdlib>

#include "net/http_client.h"
#include "net/testing/client_fixture.h"

namespace braidlog {
namespace {

using testing::HttpClientTest;
using testing::RawServer;
using testing::Recorded;

constexpr const char* kShort = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class GuardedClientTest : public HttpClientTest {
 protected:
  static OutboundRulesPtr rules(const std::vector<std::string>& networks = {}) {
    return std::make_shared<const OutboundRules>(OutboundRules().with(networks).value());
  }
  OutgoingRequest guarded(const std::string& url, OutboundRulesPtr with = rules()) const {
    return {.method = Method::kGet, .url = url, .headers = {}, .body = {}, .rules = std::move(with)};
  }
  std::string at(const std::string& host) const {
    return "http://" + host + ":" + std::to_string(server_.port()) + "/";
  }
};

TEST_F(GuardedClientTest, EverySpellingOfThisMachineIsRefused) {
  for (const char* host : {"127.0.0.1",
                           "127.1",
                           "127.0.1",
                           "0x7f000001",
                           "0x7F.1",
                           "0x7f.0x0.0x0.0x1",
                           "2130706433",
                           "017700000001",
                           "0177.0.0.1",
                           "127.0.0.1.",
                           "127.255.255.254",
                           "%31%32%37.0.0.1",
                           "0",
                           "0.0.0.0",
                           "[::]",
                           "[::1]",
                           "[0:0:0:0:0:0:0:1]",
                           "[::ffff:127.0.0.1]",
                           "[::ffff:7f00:1]",
                           "[::127.0.0.1]",
                           "[64:ff9b::127.0.0.1]",
                           "localhost",
                           "LOCALHOST",
                           "localhost.",
                           "any.name.localhost",
                           "user@127.0.0.1",
                           "8.8.8.8@127.0.0.1",
                           "8.8.8.8:80@localhost"}) {
    Recorded sink;
    send(guarded(at(host)), sink);
    const auto end = wait_end(sink);
    // What libcurl does not take for a host at all is not reached either.
    EXPECT_TRUE(end == CallEnd::kRefused || end == CallEnd::kNotReached) << host;
    EXPECT_EQ(sink.heads, 0) << host;
    EXPECT_FALSE(server_.has_connection()) << host;
  }
}

TEST_F(GuardedClientTest, TheUsualSpellingsAreRefusedByTheRules) {
  for (const char* host : {"127.0.0.1", "127.1", "0x7f000001", "2130706433", "017700000001", "0.0.0.0", "[::1]",
                           "[::ffff:127.0.0.1]", "localhost", "any.name.localhost", "user@127.0.0.1",
                           // Nobody is asked: these would take their time.
                           "10.0.0.1", "169.254.169.254", "192.168.0.1", "[fd00:ec2::254]", "[fe80::1]"}) {
    Recorded sink;
    send(guarded(at(host)), sink);
    EXPECT_EQ(wait_end(sink), CallEnd::kRefused) << host;
  }
}

TEST_F(GuardedClientTest, WhatIsAllowedByNameOfItsNetworkIsReached) {
  Recorded sink;
  send(guarded(server_.url(), rules({"127.0.0.0/8"})), sink);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.body, "ok");
  EXPECT_TRUE(peer.at_end()) << "nobody uses this connection again";
}

TEST_F(GuardedClientTest, OtherAddressesOfANameAreTried) {
  // libcurl itself makes of localhost both ::1 and 127.0.0.1.
  Recorded sink;
  send(guarded(at("localhost"), rules({"127.0.0.1"})), sink);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

TEST_F(GuardedClientTest, AnAllowedAddressWhereNobodyListensIsNotCalledRefused) {
  const auto url = at("localhost");
  server_.close();
  Recorded sink;
  send(guarded(url, rules({"127.0.0.1"})), sink);
  EXPECT_EQ(wait_end(sink), CallEnd::kNotReached);
}

TEST_F(GuardedClientTest, AConnectionOfAnUnguardedRequestIsNotUsed) {
  Recorded open, refused, allowed, again;
  send(server_.url(), open);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(open), CallEnd::kComplete);

  send(guarded(server_.url()), refused);
  EXPECT_EQ(wait_end(refused), CallEnd::kRefused);
  send(guarded(server_.url(), rules({"127.0.0.1"})), allowed);
  auto own = server_.accept();
  answer(own, kShort);
  EXPECT_EQ(wait_end(allowed), CallEnd::kComplete);

  send(server_.url(), again);
  EXPECT_TRUE(answer(peer, kShort).starts_with("POST / "));
  EXPECT_EQ(wait_end(again), CallEnd::kComplete);
}

TEST_F(GuardedClientTest, ARedirectToThisMachineIsNotFollowed) {
  Recorded sink;
  RawServer target;
  send(guarded(server_.url(), rules({"127.0.0.1"})), sink);
  auto peer = server_.accept();
  answer(peer, "HTTP/1.1 302 Found\r\nLocation: " + target.url() + "\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_EQ(sink.status, 302);
  EXPECT_FALSE(target.has_connection());
}

TEST_F(GuardedClientTest, AProxyOfTheEnvironmentIsNotAsked) {
  RawServer proxy;
  ::setenv("http_proxy", proxy.url("").c_str(), 1);
  Recorded guarded_sink, open_sink;
  send(guarded("http://name.invalid/"), guarded_sink);
  EXPECT_EQ(wait_end(guarded_sink), CallEnd::kNotReached);
  EXPECT_FALSE(proxy.has_connection());

  send("http://name.invalid/", open_sink);
  auto peer = proxy.accept();
  EXPECT_TRUE(answer(peer, kShort).starts_with("POST http://name.invalid/ "));
  EXPECT_EQ(wait_end(open_sink), CallEnd::kComplete);
  ::unsetenv("http_proxy");
}

TEST_F(GuardedClientTest, NothingIsSentThatWasNotNamed) {
  Recorded sink;
  send({.method = Method::kDelete, .url = server_.url("/x"), .headers = {}, .body = {}, .rules = rules({"127.0.0.1"})},
       sink);
  auto peer = server_.accept();
  const auto asked = answer(peer, kShort);
  EXPECT_TRUE(asked.starts_with("DELETE /x HTTP/1.1\r\n")) << asked;
  EXPECT_EQ(asked.find("Content-Type"), std::string::npos) << asked;
  EXPECT_EQ(asked.find("Cookie"), std::string::npos) << asked;
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

}  // namespace
}  // namespace braidlog
