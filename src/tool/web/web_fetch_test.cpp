#include "tool/web/web_fetch.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tool/testing/live_caller.h"

namespace braidlog::tool {
namespace {

using ::braidlog::testing::eventually;
using ::braidlog::testing::RawServer;
using testing::answer;
using testing::http_response;

// Says what it was given, or what a test wants it to say.
class FakeExtractor final : public TextExtractor {
 public:
  bool reads(std::string_view type) const override {
    return type.starts_with("text/html") || type.starts_with("application/pdf");
  }
  std::unique_ptr<Extraction> start(ExtractionJob job, Loop& loop,
                                    UniqueFunction<void(Result<ExtractedText>)> done) override {
    EXPECT_EQ(job.time_max, std::chrono::seconds(7));
    auto work = std::make_unique<Work>(under_way);
    if (is_slow) return work;
    Result<ExtractedText> text = reply.value_or(ExtractedText{"<" + job.media_type + "> " + job.content, left_out});
    loop.post([text = std::move(text), done = std::move(done), alive = std::weak_ptr<int>(work->alive)]() mutable {
      if (!alive.expired()) done(std::move(text));
    });
    return work;
  }

  std::optional<Result<ExtractedText>> reply;
  std::string left_out;
  bool is_slow = false;
  std::atomic<int> under_way = 0;

 private:
  struct Work final : Extraction {
    explicit Work(std::atomic<int>& count) : count(count) { ++count; }
    ~Work() override { --count; }
    std::atomic<int>& count;
    std::shared_ptr<int> alive = std::make_shared<int>();
  };
};

class WebFetchTest : public ::testing::Test {
 protected:
  WebFetchTest() { make({"127.0.0.1"}); }

  void make(const std::vector<std::string>& networks, std::size_t page_bytes_max = 100'000) {
    auto rules = std::make_shared<const OutboundRules>(OutboundRules().with(networks).value());
    tool_ = std::make_unique<WebFetch>(WebFetchContext{.clients = caller_.clients(),
                                                       .rules = std::move(rules),
                                                       .extractor = &extractor_,
                                                       .page_bytes_max = page_bytes_max,
                                                       .redirects_max = 3,
                                                       .extraction_time_max = std::chrono::seconds(7)});
  }
  void start(const std::string& url) { caller_.start(*tool_, R"({"url":")" + url + R"("})"); }
  ToolOutcome fetch(const std::string& response) {
    start(server_.url("/page"));
    serve(response);
    return caller_.wait();
  }
  std::string serve(const std::string& response) {
    auto peer = server_.accept();
    auto asked = answer(peer, response);
    peer.close();
    return asked;
  }
  static std::string redirect(const std::string& location, const std::string& status = "302 Found") {
    return http_response(status, "Location: " + location + "\r\n", "moved");
  }

  RawServer server_;
  FakeExtractor extractor_;
  testing::LiveCaller caller_;
  std::unique_ptr<WebFetch> tool_;
};

TEST_F(WebFetchTest, APageBecomesTitleAddressAndText) {
  const auto outcome = fetch(http_response("200 OK", "Content-Type: text/html; charset=utf-8\r\n",
                                           "<html><TITLE>Fish &amp;\n Chips</TITLE><p>Hi</p>"));
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.value.at("title"), "Fish & Chips");
  EXPECT_EQ(outcome.value.at("url").get_string(), server_.url("/page"));
  EXPECT_EQ(outcome.value.at("text"), "<text/html; charset=utf-8> <html><TITLE>Fish &amp;\n Chips</TITLE><p>Hi</p>");
  EXPECT_FALSE(outcome.value.get_object().contains("note"));
  EXPECT_FALSE(tool_->spec().writes);
}

TEST_F(WebFetchTest, CharsetsOfPages) {
  const auto text = [&](const std::string& type, const std::string& body) {
    const auto outcome = fetch(http_response("200 OK", "Content-Type: " + type + "\r\n", body));
    return std::string(outcome.value.at("title").get_string());
  };
  EXPECT_EQ(text("text/html; charset=ISO-8859-1", "<title>gr\xFCn</title>"), "grün");
  EXPECT_EQ(text("text/html", "<meta charset='windows-1252'><title>gr\xFCn</title>"), "grün");
  EXPECT_EQ(
      text("text/html", "<meta http-equiv=content-type content=\"text/html; charset=latin1\"><title>gr\xFCn</title>"),
      "grün");
  EXPECT_EQ(text("text/html; charset=utf-8", "<meta charset=latin1><title>grün</title>"), "grün") << "the header wins";
  EXPECT_EQ(text("text/html", "<title>grün</title>"), "grün");
}

TEST_F(WebFetchTest, OtherKindsOfContent) {
  const auto fetched = [&](const std::string& headers, const std::string& body) {
    const auto outcome = fetch(http_response("200 OK", headers, body));
    return outcome.status == ToolStatus::kOk ? std::string(outcome.value.at("text").get_string()) : outcome.text;
  };
  EXPECT_EQ(fetched("Content-Type: text/plain\r\n", "plain"), "plain");
  EXPECT_EQ(fetched("Content-Type: application/json\r\n", R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(fetched("Content-Type: application/pdf\r\n", "%PDF-1.7"), "<application/pdf> %PDF-1.7");
  EXPECT_EQ(fetched("", "%PDF-1.7"), "<application/pdf> %PDF-1.7");
  EXPECT_EQ(fetched("", "<!DOCTYPE HTML>x"), "<text/html; charset=utf-8> <!DOCTYPE HTML>x");
  EXPECT_EQ(fetched("Content-Type: application/octet-stream\r\n", "words"), "words");
  EXPECT_EQ(fetched("Content-Type: image/png\r\n", "x"),
            "the answer is of the type image/png; only web pages, text, JSON and PDF can be read");
  EXPECT_EQ(fetched("", std::string("\0\1", 2)),
            "the answer is not text; only web pages, text, JSON and PDF can be read");
  EXPECT_EQ(fetched("Content-Type: text/plain\r\nContent-Encoding: gzip\r\n", "x"),
            "the page came compressed, although that was not asked for, and cannot be read");
}

TEST_F(WebFetchTest, RedirectsAreFollowedAndTheLastAddressIsTold) {
  start(server_.url("/a/b"));
  serve(redirect("../c?d#e"));
  const auto asked =
      serve(redirect("//127.0.0.1:" + std::to_string(server_.port()) + "/last", "308 Permanent Redirect"));
  EXPECT_TRUE(asked.starts_with("GET /c?d HTTP/1.1\r\n")) << asked;
  EXPECT_EQ(asked.find("Cookie"), std::string::npos);
  EXPECT_EQ(asked.find("Referer"), std::string::npos);
  EXPECT_TRUE(serve(http_response("200 OK", "Content-Type: text/plain\r\n", "here")).starts_with("GET /last "));
  const auto outcome = caller_.wait();
  EXPECT_EQ(outcome.value.at("url").get_string(), server_.url("/last"));
  EXPECT_EQ(outcome.value.at("text"), "here");
}

TEST_F(WebFetchTest, AtMostSoManyRedirects) {
  start(server_.url());
  for (int i = 0; i < 4; ++i) serve(redirect("/again"));
  EXPECT_EQ(caller_.wait().text, "the page redirects more than 3 times");
}

TEST_F(WebFetchTest, EachRedirectIsJudgedAnew) {
  RawServer inside;  // another machine would do; ::1 and 127.0.0.2 are not among the networks
  const std::string port = ":" + std::to_string(inside.port());
  for (const std::string& host : {"127.0.0.2" + port, "[::1]" + port, "169.254.169.254" + std::string(),
                                  "0.0.0.0" + port, "[::ffff:127.0.0.2]" + port}) {
    const auto outcome = fetch(redirect("http://" + host + "/"));
    EXPECT_EQ(outcome.status, ToolStatus::kToolError) << host;
    EXPECT_TRUE(outcome.text.ends_with("is not public, and this server does not let tools reach it")) << outcome.text;
  }
  EXPECT_FALSE(inside.has_connection());
  EXPECT_EQ(fetch(redirect("file:///etc/passwd")).text,
            "the page redirects to an address that must begin with http:// or https://");
  EXPECT_EQ(fetch(redirect("http://user:word@127.0.0.1/")).text,
            "the page redirects to an address that must not hold a user name or a password");
}

TEST_F(WebFetchTest, ThisMachineIsNotFetchedFromWithoutLeave) {
  make({});
  const std::string port = ":" + std::to_string(server_.port()) + "/";
  for (const std::string host : {"127.0.0.1", "127.1", "0x7f000001", "2130706433", "017700000001", "[::1]", "localhost",
                                 "any.localhost", "[::ffff:127.0.0.1]", "0.0.0.0"}) {
    start("http://" + host + port);
    const auto outcome = caller_.wait();
    EXPECT_TRUE(outcome.text.ends_with("is not public, and this server does not let tools reach it")) << outcome.text;
  }
  EXPECT_FALSE(server_.has_connection());
}

TEST_F(WebFetchTest, WhatIsNoAddress) {
  for (const char* url : {"file:///etc/passwd", "example.com", "ftp://example.com/", "http://a@b/"}) {
    start(url);
    const auto outcome = caller_.wait();
    EXPECT_EQ(outcome.status, ToolStatus::kInvalidArguments) << url;
    EXPECT_TRUE(outcome.text.starts_with("url: ")) << outcome.text;
  }
}

TEST_F(WebFetchTest, LongTextsAreCutWithAMark) {
  caller_.start(*tool_, R"({"url":")" + server_.url() + R"(","max_characters":100})");
  std::string text;
  for (int i = 0; i < 150; ++i) text += "ü";
  serve(http_response("200 OK", "Content-Type: text/plain\r\n", text));
  EXPECT_EQ(caller_.wait().value.at("text").get_string(),
            text.substr(0, 200) + "\n[cut: the first 100 of 150 characters]");

  make({"127.0.0.1"}, 10);
  const auto page = fetch(http_response("200 OK", "Content-Type: text/plain\r\n", std::string(1000, 'x')));
  EXPECT_EQ(page.value.at("text"), "xxxxxxxxxx");
  EXPECT_EQ(page.value.at("note"), "Only the first 10 bytes of the page were read.");
  EXPECT_EQ(fetch(http_response("200 OK", "Content-Type: application/pdf\r\n", std::string(1000, 'x'))).text,
            "the PDF is larger than the 10 bytes that this server takes");
}

TEST_F(WebFetchTest, ErrorsInWords) {
  EXPECT_EQ(fetch(http_response("404 Not Found", "", "gone")).text, "the server answered 404 Not Found");
  EXPECT_EQ(fetch(http_response("304 Not Modified", "", "")).text, "the server answered 304 Not Modified");
  EXPECT_EQ(fetch("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx").text,
            "the connection to 127.0.0.1 broke before its answer was complete");
  extractor_.reply = fail(ErrorCode::kBadFile, "is not a PDF that can be read");
  EXPECT_EQ(fetch(http_response("200 OK", "Content-Type: application/pdf\r\n", "x")).text,
            "the page is not a PDF that can be read");
  extractor_.reply = fail(ErrorCode::kUnavailable, "This host has no sandbox");
  EXPECT_EQ(fetch(http_response("200 OK", "Content-Type: text/html\r\n", "x")).text, "This host has no sandbox");
  extractor_.reply.reset();
  extractor_.left_out = "Pages 21 to 80 were not read.";
  EXPECT_EQ(fetch(http_response("200 OK", "Content-Type: application/pdf\r\n", "x")).value.at("note"),
            "Pages 21 to 80 were not read.");
}

TEST_F(WebFetchTest, ACancelledCallEndsTheRequestAndTheExtraction) {
  start(server_.url());
  auto peer = server_.accept();
  peer.read_until("\r\n\r\n");
  caller_.cancel();
  EXPECT_TRUE(peer.at_end() || peer.was_reset());

  extractor_.is_slow = true;
  start(server_.url());
  serve(http_response("200 OK", "Content-Type: text/html\r\n", "x"));
  EXPECT_TRUE(eventually([&] { return extractor_.under_way == 1; }));
  caller_.cancel();
  EXPECT_EQ(extractor_.under_way, 0);
  EXPECT_FALSE(caller_.is_done());
}

}  // namespace
}  // namespace braidlog::tool
