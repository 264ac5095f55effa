#include "net/environment_proxy.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace braidlog {
namespace {

using Variables = std::map<std::string, std::string>;

bool is_direct(const std::string& host, const Variables& variables) {
  return is_asked_directly(host, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(EnvironmentProxy, OnlyWhatIsForHttpCounts) {
  EXPECT_TRUE(is_direct("h", {}));
  EXPECT_TRUE(is_direct("h", {{"https_proxy", "http://p"}}));
  EXPECT_TRUE(is_direct("h", {{"HTTP_PROXY", "http://p"}})) << "a request's header Proxy would set it, under CGI";
  EXPECT_FALSE(is_direct("h", {{"http_proxy", "http://p"}}));
  EXPECT_FALSE(is_direct("h", {{"all_proxy", "http://p"}}));
  EXPECT_FALSE(is_direct("h", {{"ALL_PROXY", "http://p"}}));
}

TEST(EnvironmentProxy, HostsThatAreExcepted) {
  const auto is_excepted = [](const std::string& host, const std::string& list) {
    const bool small = is_direct(host, {{"http_proxy", "http://p"}, {"no_proxy", list}});
    EXPECT_EQ(small, is_direct(host, {{"http_proxy", "http://p"}, {"NO_PROXY", list}}));
    return small;
  };
  EXPECT_TRUE(is_excepted("h", "*"));
  EXPECT_TRUE(is_excepted("127.0.0.1", "localhost,127.0.0.1"));
  EXPECT_TRUE(is_excepted("localhost", "127.0.0.1 localhost"));
  EXPECT_TRUE(is_excepted("::1", "::1"));
  EXPECT_TRUE(is_excepted("model.Example.com", "x, example.COM"));
  EXPECT_TRUE(is_excepted("model.example.com", ".example.com"));
  EXPECT_TRUE(is_excepted("example.com", ".example.com"));
  EXPECT_FALSE(is_excepted("h", ""));
  EXPECT_FALSE(is_excepted("h", "a,*"));
  EXPECT_FALSE(is_excepted("badexample.com", "example.com"));
  EXPECT_FALSE(is_excepted("example.com", "model.example.com"));
  EXPECT_FALSE(is_excepted("127.0.0.1", "0.0.1,.127.0.0.1,.1"));
  EXPECT_FALSE(is_excepted("10.0.0.1", "10.0.0.0/8")) << "libcurl knows networks";
}

TEST(EnvironmentProxy, TheSmallLettersCountMore) {
  EXPECT_FALSE(is_direct("h", {{"http_proxy", "http://p"}, {"no_proxy", "x"}, {"NO_PROXY", "h"}}));
}

}  // namespace
}  // namespace braidlog
