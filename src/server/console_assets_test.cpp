#include "server/console_assets.h"

#include <gtest/gtest.h>

#include <string>

namespace braidlog {
namespace {

constexpr EmbeddedFile kFiles[] = {
    {"/assets/app-1a2b.js", "let a;", "packed js", "d1"},
    {"/assets/dot-1a2b.png", "png bytes", "", "d2"},
    {"/favicon.svg", "<svg/>", "packed svg", "d3"},
    {"/index.html", "<html>", "packed html", "d4"},
};

class ConsoleAssetsTest : public ::testing::Test {
 protected:
  std::optional<HttpResponse> get(std::string path, std::vector<HttpHeader> headers = {}) {
    HttpRequest request;
    request.path = request.target = std::move(path);
    request.headers = std::move(headers);
    return ConsoleAssets(kFiles).answer(request);
  }
  static std::string header(const HttpResponse& response, std::string_view name) {
    for (const auto& h : response.headers) {
      if (h.name == name) return h.value;
    }
    return "none";
  }
};

TEST_F(ConsoleAssetsTest, ThePageIsAtTheRoot) {
  const auto page = get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, "<html>");
  EXPECT_EQ(header(*page, "Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(header(*page, "Cache-Control"), "no-cache");
  EXPECT_EQ(header(*page, "ETag"), "\"d4\"");
  EXPECT_EQ(header(*page, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header(*page, "Referrer-Policy"), "no-referrer");
  EXPECT_NE(header(*page, "Content-Security-Policy").find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(header(*page, "Content-Encoding"), "none");
  EXPECT_EQ(get("/index.html")->body, "<html>");
}

TEST_F(ConsoleAssetsTest, WhatHasADigestInItsNameNeverChanges) {
  const auto script = get("/assets/app-1a2b.js");
  ASSERT_TRUE(script);
  EXPECT_EQ(header(*script, "Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(header(*script, "Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(header(*get("/favicon.svg"), "Cache-Control"), "no-cache");
  EXPECT_EQ(header(*get("/favicon.svg"), "Content-Type"), "image/svg+xml");
}

TEST_F(ConsoleAssetsTest, GzipForWhoTakesIt) {
  for (const char* takes : {"gzip", "br, gzip", "GZIP;q=0.5", "deflate , gzip;q=1.0, *;q=0", "*", "x-gzip"}) {
    const auto page = get("/", {{"Accept-Encoding", takes}});
    EXPECT_EQ(page->body, "packed html") << takes;
    EXPECT_EQ(header(*page, "Content-Encoding"), "gzip") << takes;
    EXPECT_EQ(header(*page, "ETag"), "\"d4-gzip\"") << takes;
    EXPECT_EQ(header(*page, "Vary"), "Accept-Encoding") << takes;
  }
  for (const char* refuses : {"", "br", "gzip;q=0", "gzip; q=0.000", "identity", "*, gzip;q=0", "notgzip"}) {
    const auto page = get("/", {{"Accept-Encoding", refuses}});
    EXPECT_EQ(page->body, "<html>") << refuses;
    EXPECT_EQ(header(*page, "Vary"), "Accept-Encoding") << refuses;
  }
  EXPECT_EQ(get("/assets/dot-1a2b.png", {{"Accept-Encoding", "gzip"}})->body, "png bytes") << "it has one form alone";
}

TEST_F(ConsoleAssetsTest, WhoHasItIsToldSo) {
  for (const char* has : {"\"d4\"", "W/\"d4\"", "\"x\", \"d4\"", "*"}) {
    const auto page = get("/", {{"If-None-Match", has}});
    EXPECT_EQ(page->status, 304) << has;
    EXPECT_EQ(page->body, "") << has;
    EXPECT_EQ(header(*page, "ETag"), "\"d4\"") << has;
    EXPECT_EQ(header(*page, "Cache-Control"), "no-cache") << has;
  }
  EXPECT_EQ(get("/", {{"If-None-Match", "\"x\""}})->status, 200);
  EXPECT_EQ(get("/", {{"If-None-Match", "\"d4\""}, {"Accept-Encoding", "gzip"}})->status, 200) << "the other form";
  EXPECT_EQ(get("/", {{"If-None-Match", "\"x\""}, {"if-none-match", "\"d4\""}})->status, 304) << "in two headers";
}

TEST_F(ConsoleAssetsTest, NothingElseIsThere) {
  for (const char* path : {"/assets/", "/assets/../index.html", "/assets/%61pp-1a2b.js", "//index.html", "/INDEX.HTML",
                           "/assets/app-1a2b.js/", "", "index.html"}) {
    EXPECT_FALSE(get(path)) << path;
  }
}

TEST(ConsoleFiles, ThisBuildHasAPage) {
  const auto files = console_files();
  const ConsoleAssets assets(files);
  HttpRequest request;
  request.path = "/";
  ASSERT_TRUE(assets.answer(request));
  EXPECT_NE(assets.answer(request)->body.find("<html"), std::string::npos);
  for (const auto& file : files) EXPECT_EQ(file.gzip.substr(0, 2), file.gzip.empty() ? "" : "\x1f\x8b") << file.path;
}

}  // namespace
}  // namespace braidlog
