#include "net/web_url.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

std::string read(std::string_view text) {
  const auto url = WebUrl::parse(text);
  return url ? url->text() : url.error().message;
}

TEST(WebUrl, IsTakenAsTheClientTakesIt) {
  EXPECT_EQ(read("https://example.com"), "https://example.com/");
  EXPECT_EQ(read("HTTP://Example.com:8080/a?b=c#d"), "http://Example.com:8080/a?b=c");
  EXPECT_EQ(read("https://example.com/a/../b"), "https://example.com/b");
  EXPECT_EQ(read("https://example.com/a b?ä"), "https://example.com/a%20b?%c3%a4");
  EXPECT_EQ(WebUrl::parse("https://Example.COM/")->host(), "example.com");
  EXPECT_EQ(WebUrl::parse("http://[::1]:80/")->host(), "[::1]");
  // Other parsers see other hosts in these.
  EXPECT_EQ(WebUrl::parse("http://127.1/")->host(), "127.0.0.1");
}

TEST(WebUrl, NothingElseIsOne) {
  for (const char* text : {"", "example.com", "/path", "//example.com/", "https://", "http:///", "https://a b/",
                           "http://[::1/", "http://host:99999/", "http://a\nb/", "https:example"}) {
    EXPECT_FALSE(WebUrl::parse(text)) << text << " is " << read(text);
  }
  for (const char* text :
       {"file:///etc/passwd", "ftp://host/", "gopher://host:70/_x", "javascript:alert(1)", "data:,x"}) {
    EXPECT_FALSE(WebUrl::parse(text)) << text;
  }
  EXPECT_EQ(read("file:///etc/passwd"), "must begin with http:// or https://");
  EXPECT_EQ(read("http://user@host/"), "must not hold a user name or a password");
  EXPECT_EQ(read("http://:secret@host/"), "must not hold a user name or a password");
  EXPECT_EQ(read("http://good.example@127.0.0.1/"), "must not hold a user name or a password");
}

TEST(WebUrl, LeadsOn) {
  const auto page = WebUrl::parse("https://example.com/a/b?c").value();
  EXPECT_EQ(page.resolve("d")->text(), "https://example.com/a/d");
  EXPECT_EQ(page.resolve("/d")->text(), "https://example.com/d");
  EXPECT_EQ(page.resolve("//other.example/d")->text(), "https://other.example/d");
  EXPECT_EQ(page.resolve("http://other.example/")->text(), "http://other.example/");
  EXPECT_EQ(page.resolve("?x")->text(), "https://example.com/a/b?x");
  EXPECT_FALSE(page.resolve("file:///etc/passwd"));
  EXPECT_FALSE(page.resolve("http://user:secret@other.example/"));
  EXPECT_FALSE(page.resolve(""));
}

}  // namespace
}  // namespace braidlog
