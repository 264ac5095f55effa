#include "net/plain_request.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

OutgoingRequest to(const std::string& url, std::vector<HttpHeader> headers = {}) {
  return {.method = Method::kPost, .url = url, .headers = std::move(headers), .body = "{}"};
}

bool is_plain(const std::string& url) {
  auto request = to(url);
  const bool plain = PlainRequest::of(request).has_value();
  EXPECT_EQ(request.body.empty(), plain) << "the body goes along, or stays";
  return plain;
}

TEST(PlainRequest, SaysWhereToAndWhat) {
  auto request = to("http://127.0.0.1:8000/v1/x?y=1#z", {{"Content-Type", "application/json"}, {"X-Empty", ""}});
  const auto plain = PlainRequest::of(request);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "127.0.0.1");
  EXPECT_EQ(plain->port, 8000);
  EXPECT_EQ(plain->origin, "127.0.0.1:8000");
  EXPECT_EQ(plain->body, "{}");
  EXPECT_EQ(plain->head,
            "POST /v1/x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nUser-Agent: braidlog/0.1.0\r\nAccept: */*\r\n"
            "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n");
}

TEST(PlainRequest, NamedHeadersReplaceThoseSentByItself) {
  auto request = to("http://h", {{"accept", "text/event-stream"}, {"USER-AGENT", ""}});
  EXPECT_EQ(PlainRequest::of(request)->head,
            "POST / HTTP/1.1\r\nHost: h\r\naccept: text/event-stream\r\nContent-Length: 2\r\n\r\n");
}

TEST(PlainRequest, MethodsWithoutABody) {
  auto get = to("http://h/a");
  get.method = Method::kGet;
  const auto plain = PlainRequest::of(get);
  EXPECT_TRUE(plain->head.starts_with("GET /a HTTP/1.1\r\n"));
  EXPECT_EQ(plain->head.find("Content-Length"), std::string::npos);
  EXPECT_EQ(plain->body, "");
  EXPECT_FALSE(plain->is_for_head);

  OutgoingRequest head{.method = Method::kHead, .url = "http://h/a", .headers = {}, .body = {}};
  EXPECT_TRUE(PlainRequest::of(head)->is_for_head);
  EXPECT_EQ(PlainRequest::of(head)->head.find("Content-Length"), std::string::npos);
  OutgoingRequest remove{.method = Method::kDelete, .url = "http://h/a", .headers = {}, .body = {}};
  EXPECT_NE(PlainRequest::of(remove)->head.find("Content-Length: 0\r\n"), std::string::npos);
}

TEST(PlainRequest, Authorities) {
  const struct {
    const char *url, *host, *origin;
    int port;
  } cases[] = {
      {"http://model", "model", "model", 80},
      {"http://model:80/x", "model", "model", 80},
      {"http://a.b-c_d.example:65535", "a.b-c_d.example", "a.b-c_d.example:65535", 65535},
      {"http://[::1]:81/", "::1", "[::1]:81", 81},
      {"http://[fd00::1]", "fd00::1", "[fd00::1]", 80},
      {"http://model?x", "model", "model", 80},
  };
  for (const auto& [url, host, origin, port] : cases) {
    auto request = to(url);
    const auto plain = PlainRequest::of(request);
    ASSERT_TRUE(plain) << url;
    EXPECT_EQ(plain->host, host);
    EXPECT_EQ(plain->origin, origin);
    EXPECT_EQ(plain->port, port);
  }
  auto query = to("http://model?x");
  EXPECT_TRUE(PlainRequest::of(query)->head.starts_with("POST /?x HTTP/1.1\r\n"));
}

TEST(PlainRequest, WhatIsUnusualIsLeftToLibcurl) {
  EXPECT_TRUE(is_plain("http://127.0.0.1/"));
  for (const char* url : {"https://h/",
                          "HTTP://h/",
                          "file:///etc/hostname",
                          "h/x",
                          "",
                          "http://",
                          "http:///x",
                          "http://user@h/",
                          "http://user:password@h/",
                          "http://127.1/",
                          "http://0x7f000001/",
                          "http://2130706433/",
                          "http://0177.0.0.1/",
                          "http://127.0.0.1./",
                          "http://h./",
                          "http://a..b/",
                          "http://h:/",
                          "http://h:0/",
                          "http://h:65536/",
                          "http://h:8x/",
                          "http://h:80:80/",
                          "http://[::1/",
                          "http://[::1]x/",
                          "http://[::1%25lo]/",
                          "http://[127.0.0.1]/",
                          "http://%31%32%37.0.0.1/",
                          "http://b\xC3\xBC"
                          "cher.example/",
                          "http://h/a b",
                          "http://h/a\r\nX: y",
                          "http://h/\xC3\xBC",
                          "http://h/a/../b",
                          "http://h/./b",
                          "http://h/a\\b",
                          "http://h/{a}"}) {
    EXPECT_FALSE(is_plain(url)) << url;
  }
}

TEST(PlainRequest, HeadersOfTheConnectionAreLeftToLibcurl) {
  for (const char* name : {"Host", "content-length", "Transfer-Encoding", "Connection", "Expect", "Upgrade", "TE"}) {
    auto request = to("http://h/", {{name, "x"}});
    EXPECT_FALSE(PlainRequest::of(request)) << name;
  }
  auto guarded = to("http://h/");
  guarded.rules = std::make_shared<const OutboundRules>();
  EXPECT_FALSE(PlainRequest::of(guarded));
}

TEST(PlainRequest, AHostWithAZeroByteIsNone) {
  OutgoingRequest request{.body = "{}"};
  for (const std::string_view host :
       {std::string_view("127.0.0.1\0\r\nX-Evil", 17), std::string_view("[::1\0\r\nX: 1]", 13)}) {
    request.url = "http://" + std::string(host) + ":80/";
    EXPECT_FALSE(PlainRequest::of(request));
  }
}

}  // namespace
}  // namespace braidlog
