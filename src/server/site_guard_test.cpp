#include "server/site_guard.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

HttpRequest request(Method method, std::vector<HttpHeader> headers) {
  HttpRequest made;
  made.method = method;
  made.headers = std::move(headers);
  return made;
}

class SiteGuardTest : public ::testing::Test {
 protected:
  bool lets_in(Method method, std::vector<HttpHeader> headers, SiteGuard::About about = {}) const {
    return guard_.check(request(method, std::move(headers)), about).has_value();
  }
  SiteGuard guard_{"127.0.0.1", {"https://app.example"}, true};
};

TEST_F(SiteGuardTest, HostIsALoopbackNameOrAConfiguredOne) {
  for (const char* good : {"localhost", "LocalHost:1", "127.0.0.1:8000", "[::1]:8000", "[::1]", "app.example"}) {
    EXPECT_TRUE(lets_in(Method::kGet, {{"Host", good}})) << good;
  }
  for (const char* bad : {"evil.test", "127.0.0.1.evil.test", "localhost.evil.test:80", "10.0.0.1", "", "[::1",
                          "[::1]x", "localhost:80@evil.test", "localhost:x"}) {
    EXPECT_FALSE(lets_in(Method::kGet, {{"Host", bad}})) << bad;
  }
}

TEST_F(SiteGuardTest, OnlyOwnAndAllowedOriginsChangeAnything) {
  for (const char* good : {"http://localhost:5173", "http://[::1]:8080", "https://app.example"}) {
    EXPECT_TRUE(lets_in(Method::kPost, {{"Host", "localhost"}, {"Origin", good}})) << good;
  }
  for (const char* bad : {"http://evil.test", "null", "https://localhost.evil.test", "http://localhost@evil.test",
                          "file://", "https://localhost", "http://", "https://app.example.evil.test"}) {
    EXPECT_FALSE(lets_in(Method::kPost, {{"Host", "localhost"}, {"Origin", bad}})) << bad;
    EXPECT_TRUE(lets_in(Method::kGet, {{"Host", "localhost"}, {"Origin", bad}})) << bad;
  }
}

TEST_F(SiteGuardTest, WithoutDevALoopbackPageIsAnotherSite) {
  const SiteGuard strict("api.example", {}, false);
  const auto lets_in = [&](Method method, std::vector<HttpHeader> headers) {
    return strict.check(request(method, std::move(headers)), {}).has_value();
  };
  EXPECT_FALSE(lets_in(Method::kGet, {{"Host", "localhost"}}));
  EXPECT_FALSE(lets_in(Method::kPost, {{"Host", "api.example"}, {"Origin", "http://localhost:5173"}}));
  EXPECT_TRUE(lets_in(Method::kPost, {{"Host", "api.example"}, {"Origin", "http://api.example"}}));
  EXPECT_TRUE(lets_in(Method::kPost, {{"Host", "api.example:80"}, {"Origin", "http://api.example"}}));
  EXPECT_FALSE(lets_in(Method::kPost, {{"Host", "api.example:8000"}, {"Origin", "http://api.example"}}));
}

TEST_F(SiteGuardTest, OverTlsTheOwnOriginIsHttps) {
  const SiteGuard strict("api.example", {}, false);
  const auto lets_in = [&](const char* host, const char* origin, bool is_secure) {
    const auto made = request(Method::kPost, {{"Host", host}, {"Origin", origin}});
    return strict.check(made, {.is_secure = is_secure}).has_value();
  };
  EXPECT_TRUE(lets_in("api.example", "https://api.example", true));
  EXPECT_TRUE(lets_in("api.example:443", "https://api.example", true));
  EXPECT_TRUE(lets_in("api.example:8443", "https://api.example:8443", true));
  EXPECT_FALSE(lets_in("api.example", "http://api.example", true));
  EXPECT_FALSE(lets_in("api.example", "https://api.example", false));
  EXPECT_FALSE(lets_in("api.example", "https://api.example:8443", true));
}

TEST_F(SiteGuardTest, AGetThatStartsARunIsGuardedLikeAPost) {
  const SiteGuard::About starts{.starts_run = true};
  EXPECT_TRUE(lets_in(Method::kGet, {{"Host", "localhost"}}, starts));
  EXPECT_TRUE(lets_in(Method::kGet, {{"Host", "localhost"}, {"Sec-Fetch-Site", "same-origin"}}, starts));
  EXPECT_TRUE(lets_in(Method::kGet, {{"Host", "localhost"}, {"Origin", "https://app.example"}}, starts));
  EXPECT_FALSE(lets_in(Method::kGet, {{"Host", "localhost"}, {"Sec-Fetch-Site", "cross-site"}}, starts));
  EXPECT_FALSE(lets_in(Method::kGet, {{"Host", "localhost"}, {"Origin", "http://evil.test"}}, starts));
  EXPECT_TRUE(lets_in(Method::kGet, {{"Host", "localhost"}, {"Sec-Fetch-Site", "cross-site"}}));
}

TEST_F(SiteGuardTest, FetchMetadataCountsWhereThereIsNoOrigin) {
  for (const char* good : {"same-origin", "none"}) {
    EXPECT_TRUE(lets_in(Method::kDelete, {{"Host", "localhost"}, {"Sec-Fetch-Site", good}}));
  }
  for (const char* bad : {"cross-site", "same-site", "garbage"}) {
    EXPECT_FALSE(lets_in(Method::kDelete, {{"Host", "localhost"}, {"Sec-Fetch-Site", bad}}));
  }
}

TEST_F(SiteGuardTest, PreflightsTellAllowedOriginsAlone) {
  const auto ask = [&](const char* origin) {
    const auto made = request(Method::kOptions,
                              {{"Host", "localhost"}, {"Origin", origin}, {"Access-Control-Request-Method", "POST"}});
    return guard_.answer_preflight(made, false);
  };
  EXPECT_EQ(ask("http://localhost:5173").headers.at(0).value, "http://localhost:5173");
  EXPECT_TRUE(ask("http://evil.test").headers.empty());
}

}  // namespace
}  // namespace braidlog
