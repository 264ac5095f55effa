#include "provider/openai/chat_request.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace braidlog::provider {
namespace {

using Role = ModelMessage::Role;

json::value body_of(const ModelRequest& request, const ChatSettings& settings = {.model = "m"}) {
  auto body = parse_json(chat_request(settings, request));
  EXPECT_TRUE(body) << body.error().message;
  return body.value_or(json::value{});
}

TEST(ChatRequest, TheWholeBody) {
  ModelRequest request;
  request.instructions = "Be kind.";
  request.messages.push_back({.role = Role::kUser, .text = "Hi \"you\"\n"});
  EXPECT_EQ(chat_request({.model = "gpt"}, request),
            R"({"model":"gpt","messages":[{"role":"system","content":"Be kind."},)"
            R"({"role":"user","content":"Hi \"you\"\n"}],"stream":true,"stream_options":{"include_usage":true}})");
}

TEST(ChatRequest, SettingsAreSentWhereTheyAreGiven) {
  const auto plain = body_of({});
  EXPECT_FALSE(plain.as_object().contains("temperature"));
  EXPECT_FALSE(plain.as_object().contains("max_tokens"));
  EXPECT_FALSE(plain.as_object().contains("tools"));
  EXPECT_TRUE(plain.at("messages").as_array().empty());
  const auto set = body_of({}, {.model = "m", .temperature = 0.25, .max_tokens = 100});
  EXPECT_EQ(set.at("temperature").as_double(), 0.25);
  EXPECT_EQ(set.at("max_tokens").as_int64(), 100);
  const auto newer = body_of({}, {.model = "m", .max_tokens = 100, .says_max_completion_tokens = true});
  EXPECT_EQ(newer.at("max_completion_tokens").as_int64(), 100);
  EXPECT_FALSE(newer.as_object().contains("max_tokens"));
}

TEST(ChatRequest, ContextStandsWithTheInstructions) {
  ModelRequest request;
  request.instructions = "Be kind.";
  request.context = "It is raining.";
  const auto body = body_of(request);
  const auto& messages = body.at("messages").as_array();
  ASSERT_EQ(messages.size(), 1u);
  const std::string text(messages[0].at("content").as_string());
  EXPECT_TRUE(text.starts_with("Be kind.\n\n"));
  EXPECT_TRUE(text.ends_with("It is raining."));
}

TEST(ChatRequest, ToolsCallsAndResults) {
  ModelRequest request;
  request.messages.push_back({.role = Role::kAssistant, .text = "", .calls = {{"c1", "f", R"({"a":1})"}}});
  request.messages.push_back({.role = Role::kTool, .text = "done", .call_id = "c1"});
  request.messages.push_back({.role = Role::kAssistant, .text = "Both", .calls = {{"c2", "g", "{}"}}});
  request.tools.push_back({"f", "does f", R"({"type":"object"})"});
  const auto body = body_of(request);
  const auto& messages = body.at("messages").as_array();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_TRUE(messages[0].at("content").is_null());
  const auto& call = messages[0].at("tool_calls").at(0);
  EXPECT_EQ(call.at("id").as_string(), "c1");
  EXPECT_EQ(call.at("type").as_string(), "function");
  EXPECT_EQ(call.at("function").at("arguments").as_string(), R"({"a":1})");
  EXPECT_EQ(messages[1].at("role").as_string(), "tool");
  EXPECT_EQ(messages[1].at("tool_call_id").as_string(), "c1");
  EXPECT_EQ(messages[2].at("content").as_string(), "Both");
  const auto& tool = body.at("tools").at(0);
  EXPECT_EQ(tool.at("type").as_string(), "function");
  EXPECT_EQ(tool.at("function").at("name").as_string(), "f");
  EXPECT_EQ(tool.at("function").at("parameters").at("type").as_string(), "object");
}

TEST(ChatRequest, AnAnswerThatWasCutIsOrderedToGoOn) {
  ModelRequest request;
  request.messages.push_back({.role = Role::kUser, .text = "Tell me"});
  request.messages.push_back({.role = Role::kAssistant, .text = "Once upon"});
  request.continue_last = true;
  const auto body = body_of(request);
  const auto& messages = body.at("messages").as_array();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1].at("content").as_string(), "Once upon");
  EXPECT_EQ(messages[2].at("role").as_string(), "user");
}

}  // namespace
}  // namespace braidlog::provider
