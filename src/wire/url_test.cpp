#include "wire/url.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

TEST(BaseUrl, IsHostPortAndPath) {
  for (const char* url : {"http://127.0.0.1:8080/v1", "https://api.example.com/v1/", "http://[::1]:9/v1", "http://a"}) {
    EXPECT_TRUE(is_base_url(url)) << url;
  }
  for (const char* url : {"", "api.example.com/v1", "ftp://a/", "http://", "http:///v1", "http://:80/",
                          "https://u:p@a/", "http://a/v1?key=x", "http://a/#x", "http://a b/", "http://a\r\nX: y/",
                          "http://ä/", "file:///etc/passwd", "HTTP"}) {
    EXPECT_FALSE(is_base_url(url)) << url;
  }
}

}  // namespace
}  // namespace braidlog
