#include "provider/provider_errors.h"

#include <gtest/gtest.h>

namespace braidlog::provider {
namespace {

TEST(ProviderErrors, CodesOfStatuses) {
  EXPECT_EQ(error_of_status(429).code, ErrorCode::kProviderRateLimited);
  for (const int status : {408, 504}) EXPECT_EQ(error_of_status(status).code, ErrorCode::kProviderTimeout);
  for (const int status : {301, 400, 401, 402, 403, 404, 413, 422, 500, 502, 503, 529}) {
    const auto error = error_of_status(status);
    EXPECT_EQ(error.code, ErrorCode::kProvider) << status;
    EXPECT_NE(error.message.find("(HTTP " + std::to_string(status) + ")"), std::string::npos);
  }
}

TEST(ProviderErrors, ToolsThatAreRefused) {
  const std::pair<int, const char*> refusals[] = {
      {400, R"({"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}})"},
      {400, R"({"error":"gemma does not support tools"})"},
      {400, R"({"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice to be set"})"},
      {404, R"({"error":{"message":"No endpoints found that support tool use","code":404}})"},
      {400, R"({"error":{"message":"Unrecognized request argument supplied: functions","param":null}})"},
      {400, R"({"error":{"message":"Unsupported parameter for this model.","param":"tools"}})"},
      {500, R"({"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}})"},
      {422, R"({"detail":"Function calling is not enabled for this deployment"})"},
      {400, "This model doesn't support function calling."},
  };
  for (const auto& [status, body] : refusals) {
    const auto error = error_of_tool_request(status, body);
    EXPECT_EQ(error.code, ErrorCode::kToolsRefused) << body;
    EXPECT_EQ(error.message,
              "The model cannot be used with tools (HTTP " + std::to_string(status) + " of its provider)");
  }
}

TEST(ProviderErrors, OtherRefusalsOfARequestWithTools) {
  const std::pair<int, const char*> refusals[] = {
      {400, R"({"error":{"message":"The context is too long: 900 in the messages, 80 in the functions"}})"},
      {400, R"({"error":{"message":"Unsupported value: 'temperature' does not support 0.2","param":"temperature"}})"},
      {400, R"({"error":{"message":"messages with role 'tool' must follow tool_calls","param":"messages"}})"},
      {400, R"({"error":{"message":"Unknown model functional-7b"}})"},
      {422, R"({"detail":[{"msg":"not permitted","input":{"tools":[]}}]})"},
      {400, R"({"error":{"message":"Invalid schema for function 'x': 'oneOf' is not permitted."}})"},
      {404, "<html><script>function f() {}</script>This page is disabled</html>"},
      {400, ""},
      {400, "{"},
      {401, R"({"error":"tools are not supported"})"},
      {503, R"({"error":"tools are not supported"})"},
  };
  for (const auto& [status, body] : refusals) {
    const auto error = error_of_tool_request(status, body);
    EXPECT_EQ(error.code, error_of_status(status).code) << body;
    EXPECT_EQ(error.message, error_of_status(status).message);
  }
}

TEST(ProviderErrors, CodesOfEnds) {
  EXPECT_EQ(failure_of_end(CallEnd::kConnectTimeout).error.code, ErrorCode::kProviderTimeout);
  for (const auto end : {CallEnd::kNotReached, CallEnd::kCut, CallEnd::kComplete}) {
    EXPECT_EQ(failure_of_end(end).error.code, ErrorCode::kProvider);
    EXPECT_TRUE(failure_of_end(end).may_retry);
  }
}

}  // namespace
}  // namespace braidlog::provider
