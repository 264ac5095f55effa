// Which of the two clients takes a request. They differ in one thing that can be seen from outside: the client for
// plain http notices at once when a connection that it keeps is closed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "net/http_client.h"
#include "net/testing/client_fixture.h"

namespace braidlog {
namespace {

using testing::BothClientsTest;
using testing::HttpClientTest;
using testing::RawServer;
using testing::Recorded;

constexpr const char* kShort = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class HttpChoiceTest : public HttpClientTest {
 protected:
  HttpChoiceTest() { ::setenv("http_proxy", proxy_.url("").c_str(), 1); }
  ~HttpChoiceTest() override {
    ::unsetenv("http_proxy");
    ::unsetenv("no_proxy");
  }

  RawServer proxy_;
};

TEST_F(HttpChoiceTest, WithoutAProxyPlainHttpHasItsOwn) {
  ::unsetenv("http_proxy");
  Recorded sink;
  send(server_.url(), sink);
  auto peer = server_.accept();
  answer(peer, kShort);
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  peer.shut_write();
  EXPECT_TRUE(peer.at_end());
}

TEST_F(HttpChoiceTest, AProxyIsAskedByLibcurl) {
  Recorded sink;
  send(server_.url("/x"), sink);
  auto peer = proxy_.accept();
  const auto said = answer(peer, kShort);
  EXPECT_TRUE(said.starts_with("POST " + server_.url("/x") + " ")) << said;
  EXPECT_TRUE(said.ends_with("\r\n\r\n{}")) << said;
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_FALSE(server_.has_connection());
}

TEST_F(HttpChoiceTest, WhatNoProxyNamesIsAskedByItsOwn) {
  ::setenv("no_proxy", "127.0.0.1", 1);
  Recorded sink;
  send(server_.url("/x"), sink);
  auto peer = server_.accept();
  EXPECT_TRUE(answer(peer, kShort).starts_with("POST /x "));
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  peer.shut_write();
  EXPECT_TRUE(peer.at_end());
  EXPECT_FALSE(proxy_.has_connection());
}

TEST_F(HttpChoiceTest, ANetworkOfNoProxyIsLeftToLibcurl) {
  ::setenv("no_proxy", "127.0.0.0/8", 1);
  Recorded sink;
  send(server_.url("/x"), sink);
  auto peer = server_.accept();
  EXPECT_TRUE(answer(peer, kShort).starts_with("POST /x "));
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
}

// To a server both look the same, but for the order of headers.
class HttpHeadersTest : public BothClientsTest {};

TEST_P(HttpHeadersTest, TheSameAreSent) {
  Recorded sink;
  send({.url = server_.url("/x?y#z"), .headers = {{"Accept", "a/b"}, {"X-One", "1"}, {"X-None", ""}}, .body = "{}"},
       sink);
  auto peer = server_.accept();
  const std::string said = answer(peer, kShort);
  EXPECT_EQ(wait_end(sink), CallEnd::kComplete);
  EXPECT_TRUE(said.starts_with("POST /x?y HTTP/1.1\r\nHost: 127.0.0.1:")) << said;
  std::vector<std::string> names;
  for (std::size_t line = said.find("\r\n") + 2; said[line] != '\r'; line = said.find("\r\n", line) + 2) {
    names.push_back(said.substr(line, said.find(':', line) - line));
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"Accept", "Content-Length", "Host", "User-Agent", "X-One"})) << said;
}

INSTANTIATE_TEST_SUITE_P(Http, HttpHeadersTest, testing::both_clients(), testing::name_of_client);

}  // namespace
}  // namespace braidlog
