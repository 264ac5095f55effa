#include "tool/http/http_tool.h"

#include <gtest/gtest.h>

#include "tool/testing/live_caller.h"

namespace braidlog::tool {
namespace {

using ::braidlog::testing::RawServer;
using testing::answer;
using testing::http_response;

constexpr const char* kKey = "sk-very\"secret-1234";

std::optional<std::string> test_environment(const std::string& name) {
  if (name == "SHOP_KEY") return kKey;
  if (name == "BROKEN") return "a\r\nX-Evil: 1";
  return std::nullopt;
}

class HttpToolTest : public ::testing::Test {
 protected:
  api::HttpTool entry(const std::string& method, const std::string& path) const {
    api::HttpTool tool;
    tool.name = "get_order";
    tool.description = "An order by its number";
    tool.method = method;
    tool.url = server_.url(path);
    tool.parameters_json =
        R"({"type":"object","properties":{"id":{"type":"string"},"note":{"type":"string"},"tags":{"type":"array"},)"
        R"("count":{"type":"integer"}},"required":["id"],"additionalProperties":false})";
    tool.headers = {{"Authorization", "Bearer ${SHOP_KEY}"}};
    tool.writes = method != "GET";
    tool.addresses = {"127.0.0.0/8"};
    return tool;
  }
  Result<std::shared_ptr<Tool>> make(const api::HttpTool& tool) {
    return make_http_tool(tool, caller_.clients(), std::make_shared<const OutboundRules>(), test_environment, limits_);
  }
  // Calls it, answers with `response` and gives what the server was asked.
  ToolOutcome call(const api::HttpTool& entry, const std::string& args, const std::string& response) {
    auto tool = make(entry);
    if (!tool) {
      ADD_FAILURE() << tool.error().message;
      return {};
    }
    caller_.start(**tool, args);
    auto peer = server_.accept();
    asked_ = answer(peer, response);
    peer.close();
    return caller_.wait();
  }
  ToolOutcome call(const std::string& response) {
    return call(entry("GET", "/orders/{id}"), R"({"id":"1"})", response);
  }
  std::string fault(const api::HttpTool& tool) {
    const auto made = make(tool);
    if (made) return "none";
    EXPECT_EQ(made.error().code, ErrorCode::kBadField);
    EXPECT_EQ(made.error().message.find("secret"), std::string::npos);
    return made.error().message;
  }

  RawServer server_;
  Limits limits_;
  testing::LiveCaller caller_;
  std::string asked_;
};

TEST_F(HttpToolTest, AGetCarriesItsArgumentsInTheAddress) {
  const auto outcome =
      call(entry("GET", "/orders/{id}?full=1"), R"({"id":"a/b","note":"x y","tags":["p","q&"],"count":3})",
           http_response("200 OK", "Content-Type: application/json\r\n", R"({"total": 12.5})"));
  EXPECT_TRUE(asked_.starts_with("GET /orders/a%2Fb?full=1&note=x%20y&tags=p&tags=q%26&count=3 HTTP/1.1\r\n"))
      << asked_;
  EXPECT_NE(asked_.find("\r\nAuthorization: Bearer " + std::string(kKey) + "\r\n"), std::string::npos) << asked_;
  EXPECT_EQ(asked_.find("Idempotency-Key"), std::string::npos);
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.value, parse_json(R"({"total":12.5})").value());
}

TEST_F(HttpToolTest, APostCarriesTheRestAsJson) {
  const auto outcome = call(entry("POST", "/orders/{id}"), R"({"id":"7","note":"hello","count":2})",
                            http_response("204 No Content", "", ""));
  EXPECT_TRUE(asked_.starts_with("POST /orders/7 HTTP/1.1\r\n")) << asked_;
  EXPECT_TRUE(asked_.ends_with(R"({"note":"hello","count":2})")) << asked_;
  EXPECT_NE(asked_.find("\r\nContent-Type: application/json\r\n"), std::string::npos) << asked_;
  EXPECT_NE(
      asked_.find("\r\nIdempotency-Key: 01000000-0000-0000-0000-000000000000-02000000-0000-0000-0000-000000000000\r\n"),
      std::string::npos)
      << asked_;
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.text, R"({"status":204})");
}

TEST_F(HttpToolTest, OtherMethods) {
  EXPECT_EQ(call(entry("DELETE", "/o/{id}"), R"({"id":"7","note":"x"})", http_response("200 OK", "", "")).status,
            ToolStatus::kOk);
  EXPECT_TRUE(asked_.starts_with("DELETE /o/7?note=x HTTP/1.1\r\n")) << asked_;
  EXPECT_EQ(asked_.find("Content-Type"), std::string::npos) << asked_;
  for (const char* method : {"PUT", "PATCH"}) {
    call(entry(method, "/o/{id}"), R"({"id":"7"})", http_response("200 OK", "", ""));
    EXPECT_TRUE(asked_.starts_with(std::string(method) + " /o/7 HTTP/1.1\r\n")) << asked_;
    EXPECT_TRUE(asked_.ends_with("\r\n\r\n{}")) << asked_;
  }
}

TEST_F(HttpToolTest, WhatAnAnswerMeans) {
  EXPECT_EQ(call(http_response("200 OK", "Content-Type: text/plain\r\n", "hello")).text, "hello");
  EXPECT_EQ(call(http_response("200 OK", "Content-Type: text/plain; charset=iso-8859-1\r\n", "gr\xFCn")).text, "grün");
  EXPECT_EQ(call(http_response("200 OK", "Content-Type: application/json\r\n", "{broken")).text, "{broken");
  EXPECT_EQ(call(http_response("200 OK", "Content-Type: application/hal+json\r\n", "[1]")).text, "[1]");
  EXPECT_EQ(call(http_response("200 OK", "", "plain")).text, "plain");
  const auto image = call(http_response("200 OK", "Content-Type: image/png\r\n", std::string("\x89PNG\0x", 6)));
  EXPECT_EQ(image.status, ToolStatus::kOk);
  EXPECT_EQ(image.value.at("content_type"), "image/png");
  EXPECT_EQ(image.value.at("bytes"), 6);
}

TEST_F(HttpToolTest, ErrorsAreSaidInWords) {
  const auto missing =
      call(http_response("404 Not Found", "Content-Type: application/json\r\n", R"({"error":"none"})"));
  EXPECT_EQ(missing.status, ToolStatus::kToolError);
  EXPECT_EQ(missing.text, R"(127.0.0.1 answered 404 Not Found: {"error":"none"})");
  EXPECT_EQ(call(http_response("500 Internal Server Error", "", "")).text,
            "127.0.0.1 answered 500 Internal Server Error");
  const auto long_one = call(http_response("400 Bad Request", "Content-Type: text/plain\r\n", std::string(5000, 'x')));
  EXPECT_LT(long_one.text.size(), 2100u);
  EXPECT_TRUE(long_one.text.ends_with(" … [cut]"));
}

TEST_F(HttpToolTest, ARedirectIsNotFollowed) {
  const auto outcome = call(http_response("302 Found", "Location: http://169.254.169.254/\r\n", ""));
  EXPECT_EQ(outcome.status, ToolStatus::kToolError);
  EXPECT_EQ(outcome.text,
            "127.0.0.1 answered 302 Found and points to http://169.254.169.254/; this tool follows no redirects");
}

TEST_F(HttpToolTest, SecretsThatAServerGivesBackAreTakenOut) {
  const std::string quoted = R"(sk-very\"secret-1234)";
  const auto json =
      call(http_response("200 OK", "Content-Type: application/json\r\n", R"({"auth":"Bearer )" + quoted + R"("})"));
  EXPECT_EQ(json.text, R"({"auth":"Bearer [secret]"})");
  const auto error =
      call(http_response("401 Unauthorized", "Content-Type: text/plain\r\n", "bad key " + std::string(kKey)));
  EXPECT_EQ(error.text, "127.0.0.1 answered 401 Unauthorized: bad key [secret]");
  const auto redirect = call(http_response("302 Found", "Location: /?k=sk-very%22secret-1234\r\n", ""));
  EXPECT_EQ(redirect.text.find("1234"), std::string::npos) << redirect.text;
}

TEST_F(HttpToolTest, SecretsAreFoundInEverySpellingOfJson) {
  const std::string body = R"({"auth": "\u0073k-very\u0022secret-1234"})";
  const auto good = call(http_response("200 OK", "Content-Type: application/json\r\n", body));
  EXPECT_EQ(good.value, parse_json(R"({"auth":"[secret]"})").value());
  EXPECT_EQ(good.text, R"({"auth":"[secret]"})");
  EXPECT_EQ(call(http_response("400 Bad Request", "Content-Type: application/problem+json\r\n", body)).text,
            R"(127.0.0.1 answered 400 Bad Request: {"auth":"[secret]"})");
}

TEST_F(HttpToolTest, ALongAnswerIsCutAndStillASuccess) {
  auto tool = entry("POST", "/orders/{id}");
  tool.response_bytes_max = 10;
  const auto outcome =
      call(tool, R"({"id":"1"})",
           http_response("200 OK", "Content-Type: application/json\r\n", "[" + std::string(5000, '1')));
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(outcome.text, "[111111111\n[cut: the answer is longer than 10 bytes]");
}

TEST_F(HttpToolTest, ABrokenConnectionLeavesAWritersOutcomeOpen) {
  const std::string half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
  EXPECT_EQ(call(half).status, ToolStatus::kToolError);
  EXPECT_EQ(call(entry("POST", "/{id}"), R"({"id":"1"})", half).status, ToolStatus::kOutcomeUnknown);
  EXPECT_EQ(call(entry("POST", "/{id}"), R"({"id":"1"})", "").status, ToolStatus::kOutcomeUnknown);
}

TEST_F(HttpToolTest, WithoutLeaveThisMachineIsOutOfReach) {
  auto tool = entry("POST", "/orders/{id}");
  tool.addresses.clear();
  auto made = make(tool).value();
  caller_.start(*made, R"({"id":"1"})");
  const auto outcome = caller_.wait();
  EXPECT_EQ(outcome.status, ToolStatus::kToolError);
  EXPECT_EQ(outcome.text, "the address of 127.0.0.1 is not public, and this server does not let tools reach it");
  EXPECT_FALSE(server_.has_connection());
}

TEST_F(HttpToolTest, NobodyThere) {
  const auto tool = make(entry("POST", "/{id}")).value();
  server_.close();
  caller_.start(*tool, R"({"id":"1"})");
  const auto outcome = caller_.wait();
  EXPECT_EQ(outcome.status, ToolStatus::kToolError) << "nothing was sent";
  EXPECT_EQ(outcome.text, "127.0.0.1 could not be reached");
}

TEST_F(HttpToolTest, ACancelledCallClosesItsConnection) {
  const auto tool = make(entry("GET", "/{id}")).value();
  caller_.start(*tool, R"({"id":"1"})");
  auto peer = server_.accept();
  peer.read_until("\r\n\r\n");
  caller_.cancel();
  EXPECT_TRUE(peer.at_end() || peer.was_reset());
  EXPECT_FALSE(caller_.is_done());
}

TEST_F(HttpToolTest, ArgumentsAreJudgedBeforeAnythingIsSent) {
  const auto tool = make(entry("GET", "/orders/{id}")).value();
  for (const char* args : {"{}", R"({"id":5})", R"({"id":"1","other":1})", R"({"id":".."})", R"({"id":""})", "[]"}) {
    const auto fits = tool->check(parse_json(args).value());
    ASSERT_FALSE(fits) << args;
    EXPECT_EQ(fits.error().code, ErrorCode::kToolInvalidArguments);
  }
  EXPECT_FALSE(tool->check(json::object{{"id", "1"}, {"note", std::string(9000, 'x')}})) << "too long for an address";
  EXPECT_FALSE(server_.has_connection());
}

TEST_F(HttpToolTest, WhatItSaysOfItself) {
  auto entry = this->entry("POST", "/{id}");
  entry.idempotent = true;
  entry.timeout = std::chrono::seconds(3);
  const auto spec = make(entry).value()->spec();
  EXPECT_EQ(spec.name, "get_order");
  EXPECT_EQ(spec.description, "An order by its number");
  EXPECT_TRUE(spec.writes);
  EXPECT_TRUE(spec.idempotent);
  EXPECT_EQ(spec.timeout, std::chrono::seconds(3));
  entry.url += "/other";
  EXPECT_NE(make(entry).value()->spec().version, spec.version);
}

TEST_F(HttpToolTest, WhatCannotWorkIsSaidWhenItIsLoaded) {
  const auto good = entry("GET", "/orders/{id}");
  auto tool = good;
  tool.name = "get order";
  EXPECT_TRUE(fault(tool).starts_with("name: "));
  tool = good;
  tool.method = "get";
  EXPECT_EQ(fault(tool), "method: must be GET, POST, PUT, PATCH or DELETE");
  tool = good;
  tool.url = "https://{id}/";
  EXPECT_TRUE(fault(tool).starts_with("url: "));
  tool = good;
  tool.url += "/{other}";
  EXPECT_EQ(fault(tool), "url: the argument {other} is not among the properties of parameters");
  tool = good;
  tool.parameters_json = R"({"type":"strin"})";
  EXPECT_TRUE(fault(tool).starts_with("parameters: ")) << fault(tool);
  tool.parameters_json = R"({"type":"array"})";
  EXPECT_TRUE(fault(tool).starts_with("parameters: ")) << fault(tool);
  tool = good;
  tool.addresses = {"localhost"};
  EXPECT_TRUE(fault(tool).starts_with("addresses: ")) << fault(tool);
  tool = good;
  tool.url = server_.url("/");
  tool.parameters_json.clear();
  EXPECT_EQ(fault(tool), "none");
}

TEST_F(HttpToolTest, HeadersThatCannotWork) {
  auto tool = entry("GET", "/{id}");
  tool.headers = {{"X-Key", "${MISSING}"}};
  EXPECT_EQ(fault(tool), "headers: X-Key: the environment variable MISSING is not set");
  tool.headers = {{"X-Key", "${BROKEN}"}};
  EXPECT_EQ(fault(tool), "headers: X-Key: the value has a line break or another control character");
  tool.headers = {{"X Key", "x"}};
  EXPECT_EQ(fault(tool), "headers: a name is not that of a header");
  for (const char* name : {"Host", "content-length", "Transfer-Encoding", "Idempotency-Key"}) {
    tool.headers = {{name, "x"}};
    EXPECT_EQ(fault(tool), "headers: " + std::string(name) + ": is not yours to set");
  }
}

}  // namespace
}  // namespace braidlog::tool
