#include "tool/web/web_search.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"
#include "tool/testing/live_caller.h"
#include "tool/web/html_text.h"

namespace braidlog::tool {
namespace {

using ::braidlog::testing::RawServer;
using testing::answer;
using testing::http_response;

constexpr const char* kKey = "BSA-secret-key";

class WebSearchTest : public ::testing::Test {
 protected:
  void make(SearchKind kind) {
    const SearchSettings settings{kind, server_.url(""), kind == SearchKind::kBrave ? kKey : ""};
    tool_ = std::make_unique<WebSearch>(make_search_engine(settings), caller_.clients(), Limits{});
  }
  ToolOutcome search(const std::string& args, const std::string& response) {
    caller_.start(*tool_, args);
    auto peer = server_.accept();
    asked_ = answer(peer, response);
    peer.close();
    return caller_.wait();
  }
  static std::string json_response(const std::string& body) {
    return http_response("200 OK", "Content-Type: application/json\r\n", body);
  }

  RawServer server_;
  testing::LiveCaller caller_;
  std::unique_ptr<WebSearch> tool_;
  std::string asked_;
};

TEST_F(WebSearchTest, Searxng) {
  make(SearchKind::kSearxng);
  const auto outcome =
      search(R"({"query":"fish & chips","count":2})", json_response(R"({"query":"x","number_of_results":0,"results":[
        {"url":"https://a.example/","title":"A","content":"about <b>a</b>","engine":"e","score":1.0},
        {"url":"ftp://no.example/","title":"no"}, "nonsense",
        {"url":"https://b.example/","title":"B","content":null},
        {"url":"https://c.example/","title":"C"}],"answers":[],"suggestions":[]})"));
  EXPECT_TRUE(asked_.starts_with("GET /search?q=fish%20%26%20chips&format=json HTTP/1.1\r\n")) << asked_;
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.text, R"([{"title":"A","url":"https://a.example/","snippet":"about a"},)"
                          R"({"title":"B","url":"https://b.example/","snippet":""}])");
  EXPECT_EQ(search(R"({"query":"x"})", json_response(R"({"results":[]})")).text, "[]");
}

TEST_F(WebSearchTest, Brave) {
  make(SearchKind::kBrave);
  const auto outcome = search(
      R"({"query":"x"})", json_response(R"({"type":"search","query":{"original":"x"},"web":{"type":"search","results":[
        {"title":"Caf\u00e9 &amp; more","url":"https://a.example/","description":"the <strong>best</strong> &lt;one&gt;"}]}})"));
  EXPECT_TRUE(asked_.starts_with("GET /res/v1/web/search?q=x&count=5 HTTP/1.1\r\n")) << asked_;
  EXPECT_NE(asked_.find("\r\nX-Subscription-Token: " + std::string(kKey) + "\r\n"), std::string::npos) << asked_;
  EXPECT_EQ(outcome.text, R"([{"title":"Café & more","url":"https://a.example/","snippet":"the best <one>"}])");
  EXPECT_EQ(search(R"({"query":"x"})", json_response(R"({"type":"search","query":{"original":"x"}})")).text, "[]");
}

TEST_F(WebSearchTest, ErrorsInWords) {
  make(SearchKind::kSearxng);
  EXPECT_EQ(search(R"({"query":"x"})", http_response("403 Forbidden", "", "")).text,
            "the search engine answered 403 Forbidden: its settings must allow the format json (search.formats)");
  EXPECT_EQ(search(R"({"query":"x"})", http_response("302 Found", "Location: /login\r\n", "")).text,
            "the search engine answered 302 Found");
  EXPECT_EQ(search(R"({"query":"x"})", http_response("200 OK", "", "<html>")).text,
            "the search engine answered something that cannot be read");
  EXPECT_EQ(search(R"({"query":"x"})", "").text,
            "the connection to the search engine broke before its answer was complete");
  make(SearchKind::kBrave);
  const auto refused = search(R"({"query":"x"})", http_response("422 Unprocessable Entity", "", kKey));
  EXPECT_EQ(refused.status, ToolStatus::kToolError);
  EXPECT_EQ(refused.text.find(kKey), std::string::npos) << refused.text;
  EXPECT_EQ(search(R"({"query":"x"})", http_response("429 Too Many Requests", "", "")).text,
            "the search engine takes no more questions for now; ask again later");
  EXPECT_EQ(search(R"({"query":"x"})", json_response("{}")).text,
            "the search engine answered something that cannot be read");
}

TEST_F(WebSearchTest, BadArguments) {
  make(SearchKind::kSearxng);
  for (const char* args : {"{}", R"({"query":""})", R"({"query":"x","count":0})", R"({"query":"x","count":21})"}) {
    EXPECT_FALSE(tool_->check(parse_json(args).value())) << args;
  }
  caller_.start(*tool_, R"({"query":"  "})");
  EXPECT_EQ(caller_.wait().status, ToolStatus::kInvalidArguments);
}

TEST_F(WebSearchTest, ACancelledCallClosesItsConnection) {
  make(SearchKind::kSearxng);
  caller_.start(*tool_, R"({"query":"x"})");
  auto peer = server_.accept();
  peer.read_until("\r\n\r\n");
  caller_.cancel();
  EXPECT_TRUE(peer.at_end() || peer.was_reset());
}

TEST(SearchSettings, OfTheEnvironment) {
  std::map<std::string, std::string> variables;
  const Environment environment = [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  EXPECT_EQ(search_settings(environment).value(), std::nullopt);
  variables["BRAVE_API_KEY"] = kKey;
  EXPECT_EQ(search_settings(environment).value()->url, "https://api.search.brave.com");
  EXPECT_EQ(search_settings(environment).value()->api_key, kKey);
  variables["BRAIDLOG_BRAVE_URL"] = "http://127.0.0.1:1/";
  EXPECT_EQ(search_settings(environment).value()->url, "http://127.0.0.1:1");
  variables["BRAIDLOG_BRAVE_URL"] = "brave";
  EXPECT_TRUE(search_settings(environment).error().message.starts_with("BRAIDLOG_BRAVE_URL must"));
  variables["BRAIDLOG_SEARXNG_URL"] = "http://search.example/x/";
  EXPECT_EQ(search_settings(environment).value()->url, "http://search.example/x");
  EXPECT_EQ(search_settings(environment).value()->kind, SearchKind::kSearxng);
}

TEST(HtmlText, LinesOfResults) {
  EXPECT_EQ(html_to_line("a < b <i>c</i>&nbsp;d&#39;s &#x20AC; &unknown; &amp"), "a < b c d's € &unknown; &amp");
  EXPECT_EQ(html_to_line("&#0;&#xD800;&#x110000;"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(html_to_line("<"), "<");
  EXPECT_EQ(html_to_line("a<!-- b -->c"), "ac");
}

TEST(HtmlText, TitlesAndCharsets) {
  EXPECT_EQ(html_title("<head><title lang=en> A\n\tB </title>"), "A B");
  EXPECT_EQ(html_title("<title>never closed"), "");
  EXPECT_EQ(html_title("no title"), "");
  EXPECT_LE(html_title("<title>" + std::string(5000, 'x') + "</title>").size(), 300u);
  EXPECT_EQ(html_charset("<META CharSet=\"UTF-8\">"), "utf-8");
  EXPECT_EQ(html_charset("<meta name=x><meta charset=koi8-r>"), "koi8-r");
  EXPECT_EQ(html_charset("<p charset=x>"), "");
  EXPECT_EQ(html_charset("<meta charset="), "");
}

TEST(HtmlText, AnythingCanBeRead) {
  rc::check("valid UTF-8, whatever the page is", [](const std::vector<unsigned char>& raw) {
    static constexpr const char* kPieces[] = {"<",  ">",       "&",        "#",     "x",        ";", "amp", "\xC3\xBC",
                                              "\"", "<title>", "</title>", "<meta", "charset=", " ", "39",  "D800"};
    std::string html;
    for (const unsigned char byte : raw) html += kPieces[byte % std::size(kPieces)];
    RC_ASSERT(is_valid_utf8(html_to_line(html)));
    RC_ASSERT(is_valid_utf8(html_title(html)));
    RC_ASSERT(html_charset(html).size() <= html.size());
  });
}

}  // namespace
}  // namespace braidlog::tool
