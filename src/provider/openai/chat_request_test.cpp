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
  EXPECT_EQ(plain.at("messages").as_array().size(), 1u);
  const auto set = body_of({}, {.model = "m", .temperature = 0.25, .max_tokens = 100});
  EXPECT_EQ(set.at("temperature").as_double(), 0.25);
  EXPECT_EQ(set.at("max_tokens").as_int64(), 100);
  const auto newer = body_of({}, {.model = "m", .max_tokens = 100, .is_openai = true});
  EXPECT_EQ(newer.at("max_completion_tokens").as_int64(), 100);
  EXPECT_FALSE(newer.as_object().contains("max_tokens"));
}

TEST(ChatRequest, ContextStandsWithTheInstructions) {
  ModelRequest request;
  request.instructions = "Be kind.";
  request.context = "It is raining.";
  const auto body = body_of(request);
  const auto& messages = body.at("messages").as_array();
  ASSERT_EQ(messages.size(), 2u);
  const std::string text(messages[0].at("content").as_string());
  EXPECT_TRUE(text.starts_with("Be kind.\n\n"));
  EXPECT_TRUE(text.ends_with("It is raining."));
}

TEST(ChatRequest, ToolsCallsAndResults) {
  ModelRequest request;
  request.messages.push_back({.role = Role::kUser, .text = "Do it"});
  request.messages.push_back({.role = Role::kAssistant, .text = "", .calls = {{"c1", "f", R"({"a":1})"}}});
  request.messages.push_back({.role = Role::kTool, .text = "done", .call_id = "c1"});
  request.messages.push_back({.role = Role::kAssistant, .text = "Both", .calls = {{"c2", "g", "{}"}}});
  request.tools.push_back({"f", "does f", R"({"type":"object"})"});
  request.tools.push_back({"g", "does g", ""});
  const auto body = body_of(request);
  const auto& messages = body.at("messages").as_array();
  ASSERT_EQ(messages.size(), 5u);
  EXPECT_TRUE(messages[1].at("content").is_null());
  const auto& call = messages[1].at("tool_calls").at(0);
  EXPECT_EQ(call.at("id").as_string(), "c1");
  EXPECT_EQ(call.at("type").as_string(), "function");
  EXPECT_EQ(call.at("function").at("arguments").as_string(), R"({"a":1})");
  EXPECT_EQ(messages[2].at("role").as_string(), "tool");
  EXPECT_EQ(messages[2].at("tool_call_id").as_string(), "c1");
  EXPECT_EQ(messages[3].at("content").as_string(), "Both");
  EXPECT_EQ(messages[4].at("tool_call_id").as_string(), "c2");
  const auto& tool = body.at("tools").at(0);
  EXPECT_EQ(tool.at("type").as_string(), "function");
  EXPECT_EQ(tool.at("function").at("name").as_string(), "f");
  EXPECT_EQ(tool.at("function").at("parameters").at("type").as_string(), "object");
  EXPECT_EQ(body.at("tools").at(1).at("function").at("parameters").at("type").as_string(), "object");
}

// What the last answer left is sent back with its calls, to the server that it came from.
class ChatBlobTest : public ::testing::Test {
 protected:
  json::value assistant_sent_to(const std::string& server) {
    ModelRequest request;
    request.messages.push_back({.role = Role::kUser, .text = "Do it"});
    request.messages.push_back(
        {.role = Role::kAssistant, .text = "", .calls = {{"c1", "f", "{}"}, {"own", "g", "{}"}}, .opaque = opaque_});
    return body_of(request, {.model = "m", .owner = {"openai", server}}).at("messages").at(1);
  }
  void leave(std::string_view kind, json::object data) {
    opaque_.push_back(to_text({"openai", "http://a/v1"}, {std::string(kind), std::move(data)}));
  }
  std::vector<std::string> opaque_;
};

TEST_F(ChatBlobTest, Quirk22_ReasoningGoesBackUnderItsName) {
  leave(kReasoningBlob, {{"field", "reasoning_content"}, {"text", "hm"}});
  EXPECT_EQ(assistant_sent_to("http://a/v1").at("reasoning_content").as_string(), "hm");
  EXPECT_FALSE(assistant_sent_to("http://b/v1").as_object().contains("reasoning_content"));
}

TEST_F(ChatBlobTest, DetailsGoBackUnchanged) {
  leave(kReasoningDetailsBlob, {{"details", json::array{json::object{{"type", "reasoning.text"}, {"text", "hm"}}}}});
  EXPECT_EQ(assistant_sent_to("http://a/v1").at("reasoning_details").at(0).at("text").as_string(), "hm");
  EXPECT_FALSE(assistant_sent_to("http://b/v1").as_object().contains("reasoning_details"));
}

TEST_F(ChatBlobTest, SignaturesGoBackWithTheirCalls) {
  leave(kCallExtraBlob, {{"call", "c1"}, {"position", 0}, {"extra_content", json::object{{"s", 1}}}});
  leave(kCallExtraBlob, {{"call", ""}, {"position", 1}, {"extra_content", json::object{{"s", 2}}}});
  const auto sent = assistant_sent_to("http://a/v1");
  EXPECT_EQ(sent.at("tool_calls").at(0).at("extra_content").at("s").as_int64(), 1);
  EXPECT_EQ(sent.at("tool_calls").at(1).at("extra_content").at("s").as_int64(), 2);
  EXPECT_FALSE(assistant_sent_to("http://b/v1").at("tool_calls").at(0).as_object().contains("extra_content"));
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
