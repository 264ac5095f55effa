#include "tool/http/url_template.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace braidlog::tool {
namespace {

std::string expand(std::string_view url, std::string_view args) {
  const auto made = UrlTemplate::parse(url);
  if (!made) return "bad: " + made.error().message;
  const auto out = made->expand(parse_json(args)->get_object());
  if (!out) EXPECT_EQ(out.error().code, ErrorCode::kToolInvalidArguments);
  return out ? *out : out.error().message;
}

std::string fault(std::string_view url) {
  const auto made = UrlTemplate::parse(url);
  if (made) return "none";
  EXPECT_EQ(made.error().code, ErrorCode::kBadField);
  return made.error().message;
}

TEST(UrlTemplate, ArgumentsBecomeData) {
  EXPECT_EQ(expand("https://h.example/o/{id}", R"({"id":"A-1_2.x~"})"), "https://h.example/o/A-1_2.x~");
  EXPECT_EQ(expand("https://h.example/o/{id}/l", R"({"id":"a b&c=d?e#f%g+h:i@j;k"})"),
            "https://h.example/o/a%20b%26c%3Dd%3Fe%23f%25g%2Bh%3Ai%40j%3Bk/l");
  EXPECT_EQ(expand("https://h.example/o/{id}", R"({"id":"group/name"})"), "https://h.example/o/group%2Fname");
  EXPECT_EQ(expand("https://h.example/o/{id}", R"({"id":"Grüße"})"), "https://h.example/o/Gr%C3%BC%C3%9Fe");
  EXPECT_EQ(expand("https://h.example/{a}/{b}/{a}?q={q}", R"({"a":1,"b":true,"q":"x&y=z/.."})"),
            "https://h.example/1/true/1?q=x%26y%3Dz%2F..");
  EXPECT_EQ(expand("https://h.example/?q={q}", R"({"q":""})"), "https://h.example/?q=");
  EXPECT_EQ(expand("http://h.example:8080", "{}"), "http://h.example:8080");
  EXPECT_EQ(expand("https://h.example/{a}{b}", R"({"a":"%2e","b":"%2E"})"), "https://h.example/%252e%252E");
}

TEST(UrlTemplate, AnArgumentNeverLeavesItsSegment) {
  for (const char* id : {"..", ".", "../admin", "a/../b", "a\\\\..\\\\b", "a/.", "../", "..\\\\x"}) {
    const std::string args = R"({"id":")" + std::string(id) + R"("})";
    EXPECT_EQ(expand("https://h.example/o/{id}", args), "id: must not hold '.' or '..' as a part of a path") << id;
    EXPECT_TRUE(expand("https://h.example/o?x={id}", args).starts_with("https://h.example/o?x=")) << id;
  }
  EXPECT_EQ(expand("https://h.example/o/{a}{b}/x", R"({"a":".a","b":".."})"),
            "b: must not hold '.' or '..' as a part of a path");
  EXPECT_EQ(expand("https://h.example/o/.{b}/x", R"({"b":"..."})"), "https://h.example/o/..../x");
  EXPECT_EQ(expand("https://h.example/o/{a}", R"({"a":"\u0000"})"), "a: must not have the character U+0000");
  EXPECT_EQ(expand("https://h.example/o/{a}", R"({"a":""})"),
            "a: must not be empty: it stands in the path of an address");
}

TEST(UrlTemplate, WhatIsMissingOrNoValueIsNamed) {
  EXPECT_EQ(expand("https://h.example/{id}", "{}"), "id: is needed for the address of this tool");
  EXPECT_EQ(expand("https://h.example/?a={id}", R"({"id":null})"), "id: is needed for the address of this tool");
  EXPECT_EQ(expand("https://h.example/{id}", R"({"id":["a"]})"),
            "id: cannot be a list or an object: it stands in the address of this tool");
}

TEST(UrlTemplate, WhatAnOperatorMayNotWrite) {
  const std::string nowhere = "an argument cannot stand in the scheme, the host or the port";
  EXPECT_EQ(fault("https://{host}/"), nowhere);
  EXPECT_EQ(fault("https://h.example:{port}/"), nowhere);
  EXPECT_EQ(fault("https://a.{x}.example"), nowhere);
  EXPECT_EQ(fault("https:///{host}/"), "has no host");
  EXPECT_NE(fault("https:////{host}/"), "none");
  EXPECT_EQ(fault("{scheme}://h.example/"), "must begin with http:// or https://");
  EXPECT_EQ(fault("file:///etc/passwd"), "must begin with http:// or https://");
  EXPECT_EQ(fault("https://user:pass@h.example/"), "must not hold a user name or a password");
  EXPECT_EQ(fault("https://h.example/#{x}"), "must not have a fragment (#…)");
  EXPECT_EQ(fault("https://h.example/{x"), "has a { or } without its other half");
  EXPECT_EQ(fault("https://h.example/x}"), "has a { or } without its other half");
  EXPECT_EQ(fault("https://h.example/{}"), "{…} must hold the name of an argument");
  EXPECT_EQ(fault("https://h.example/{{x}}"), "{…} must hold the name of an argument");
  EXPECT_EQ(fault("https://h.example/a/../{x}"), "must not have . or .. in its path");
  EXPECT_EQ(fault("https://h.example/a/%2e%2E/{x}"), "must not have . or .. in its path");
  for (const char* url : {"", "https://", "https:///x", "https://h example/", "https://h.example/ä", "https://h:x/"}) {
    EXPECT_NE(fault(url), "none") << url;
  }
}

TEST(UrlTemplate, NamesAndHost) {
  const auto url = UrlTemplate::parse("https://H.example/{a}/{b}?c={a}").value();
  EXPECT_EQ(url.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(url.host(), "h.example");
  EXPECT_TRUE(url.has_query());
  EXPECT_FALSE(UrlTemplate::parse("https://h.example/{a}")->has_query());
}

TEST(UrlTemplate, NoValueAddsAPart) {
  const auto url = UrlTemplate::parse("https://h.example/o/{id}/l?q={id}").value();
  rc::check("the parts stay where they are", [&](const std::vector<unsigned char>& raw) {
    std::string id;
    for (const unsigned char byte : raw) id += static_cast<char>("./\\?#&=%@: aZ\r\n"[byte % 15]);
    const auto out = url.expand(json::object{{"id", id}});
    if (!out) return;
    RC_ASSERT(out->starts_with("https://h.example/o/"));
    RC_ASSERT(std::ranges::count(*out, '/') == 5);
    RC_ASSERT(std::ranges::count(*out, '?') == 1 && std::ranges::count(*out, '&') == 0);
    RC_ASSERT(out->find_first_of("#\\\r\n @") == std::string::npos);
  });
}

}  // namespace
}  // namespace braidlog::tool
