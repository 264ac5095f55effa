#include "provider/anthropic/messages_request.h"

#include <gtest/gtest.h>

namespace braidlog::provider {
namespace {

using Role = ModelMessage::Role;

const MessagesSettings kSettings{.model = "m", .max_tokens = 100, .owner = {"anthropic", "http://a"}};

json::value body_of(const ModelRequest& request, const MessagesSettings& settings = kSettings) {
  auto body = parse_json(messages_request(settings, request));
  EXPECT_TRUE(body) << body.error().message;
  return body.value_or(json::value{});
}
std::string messages_of(const ModelRequest& request) {
  return to_json(body_of(request).at("messages"));
}
std::string block_blob(const char* block_json, std::size_t text_before, std::size_t calls_before,
                       const BlobOwner& owner = kSettings.owner) {
  return to_text(owner,
                 {std::string(kBlockBlob),
                  {{"text_before", text_before}, {"calls_before", calls_before}, {"block", *parse_json(block_json)}}});
}

TEST(MessagesRequest, TheWholeBody) {
  ModelRequest request;
  request.instructions = "Be kind.";
  request.context = "It rains.";
  request.messages.push_back({.role = Role::kUser, .text = "Hi"});
  request.tools.push_back({"f", "does f", R"({"type":"object"})"});
  MessagesSettings settings = kSettings;
  settings.temperature = 1.5;
  EXPECT_EQ(messages_request(settings, request),
            R"({"model":"m","max_tokens":100,"stream":true,"temperature":1,)"
            R"("system":"Be kind.\n\nContext of this request:\nIt rains.",)"
            R"("tools":[{"name":"f","description":"does f","input_schema":{"type":"object"}}],)"
            R"("messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]})");
}

TEST(MessagesRequest, WhatIsNotGivenIsNotSent) {
  const auto body = body_of({});
  for (const char* key : {"temperature", "system", "tools"}) EXPECT_FALSE(body.as_object().contains(key)) << key;
  EXPECT_EQ(body.at("max_tokens").as_int64(), 100);
  EXPECT_EQ(body.at("messages").at(0).at("role").as_string(), "user");
}

TEST(MessagesRequest, ResultsAreOfTheUserAndNeighboursAreOneMessage) {
  ModelRequest request;
  request.messages.push_back({.role = Role::kUser, .text = "Go"});
  request.messages.push_back(
      {.role = Role::kAssistant, .text = "Now", .calls = {{"c:1", "f", R"({"a":1})"}, {"c2", "g", ""}}});
  request.messages.push_back({.role = Role::kTool, .text = "r1", .call_id = "c:1"});
  request.messages.push_back({.role = Role::kTool, .text = " ", .call_id = "c2"});
  request.messages.push_back({.role = Role::kUser, .text = "And?"});
  EXPECT_EQ(messages_of(request),
            R"([{"role":"user","content":[{"type":"text","text":"Go"}]},)"
            R"({"role":"assistant","content":[{"type":"text","text":"Now"},)"
            R"({"type":"tool_use","id":"c_1","name":"f","input":{"a":1}},)"
            R"({"type":"tool_use","id":"c2","name":"g","input":{}}]},)"
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c_1","content":"r1"},)"
            R"({"type":"tool_result","tool_use_id":"c2"},{"type":"text","text":"And?"}]}])");
}

TEST(MessagesRequest, CallsOfBeforeAreNamedWhereNoToolsAreOffered) {
  ModelRequest request;
  request.messages.push_back({.role = Role::kUser, .text = "Go"});
  request.messages.push_back({.role = Role::kAssistant, .calls = {{"c1", "f", "{}"}, {"c2", "f", "{}"}}});
  request.messages.push_back({.role = Role::kTool, .text = "r1", .call_id = "c1"});
  request.messages.push_back({.role = Role::kTool, .text = "r2", .call_id = "c2"});
  const auto body = body_of(request);
  ASSERT_EQ(body.at("tools").as_array().size(), 1u);
  EXPECT_EQ(body.at("tools").at(0).at("name"), "f");
  EXPECT_EQ(body.at("tool_choice").at("type"), "none");
  request.tools.push_back({"g", "does g", R"({"type":"object"})"});
  EXPECT_EQ(body_of(request).at("tools").at(0).at("name"), "g");
  EXPECT_FALSE(body_of(request).as_object().contains("tool_choice"));
}

TEST(MessagesRequest, BlankTextIsNoBlock) {
  ModelRequest request;
  request.messages.push_back({.role = Role::kUser, .text = "Go"});
  request.messages.push_back({.role = Role::kAssistant, .text = "\n ", .calls = {{"c", "f", "{}"}}});
  EXPECT_EQ(
      messages_of(request),
      R"([{"role":"user","content":[{"type":"text","text":"Go"}]},)"
      R"({"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},)"
      R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"This call has no result."}]}])");
}

TEST(MessagesRequest, AnAnswerThatWasCutIsOrderedToGoOnAndNotPrefilled) {
  ModelRequest request;
  request.messages.push_back({.role = Role::kUser, .text = "Tell me"});
  request.messages.push_back({.role = Role::kAssistant, .text = "Once upon"});
  request.continue_last = true;
  const auto body = body_of(request);
  ASSERT_EQ(body.at("messages").as_array().size(), 3u);
  EXPECT_EQ(body.at("messages").at(2).at("role").as_string(), "user");
}

TEST(MessagesRequest, BlocksGoBackVerbatimToWhereTheyStood) {
  ModelRequest request;
  request.messages.push_back({.role = Role::kUser, .text = "Go"});
  ModelMessage answer{.role = Role::kAssistant, .text = "Öne.Two.", .calls = {{"c1", "f", "{}"}, {"c2", "g", "{}"}}};
  answer.opaque = {block_blob(R"({"type":"thinking","thinking":"hm","signature":"s"})", 0, 0),
                   block_blob(R"({"type":"thinking","thinking":"not ours","signature":"s"})", 0, 0, {"anthropic", "x"}),
                   block_blob(R"({"type":"redacted_thinking","data":"xyz"})", 5, 1),
                   block_blob(R"({"type":"thinking","thinking":"late","signature":"t"})", 99, 99)};
  request.messages.push_back(answer);
  EXPECT_EQ(to_json(body_of(request).at("messages").at(1).at("content")),
            R"([{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Öne."},)"
            R"({"type":"tool_use","id":"c1","name":"f","input":{}},{"type":"redacted_thinking","data":"xyz"},)"
            R"({"type":"text","text":"Two."},{"type":"tool_use","id":"c2","name":"g","input":{}},)"
            R"({"type":"thinking","thinking":"late","signature":"t"}])");
}

TEST(MessagesRequest, APausedAnswerIsShownToItsModel) {
  ModelRequest request;
  request.messages.push_back({.role = Role::kUser, .text = "Go"});
  const std::string body = messages_request(kSettings, request);
  const auto shown = parse_json(with_assistant_turn(body, kSettings, {.role = Role::kAssistant, .text = "So far"}));
  ASSERT_TRUE(shown);
  ASSERT_EQ(shown->at("messages").as_array().size(), 2u);
  EXPECT_EQ(shown->at("messages").at(1).at("content").at(0).at("text").as_string(), "So far");
  EXPECT_EQ(with_assistant_turn(body, kSettings, {.role = Role::kAssistant}), body) << "nothing was said";
}

}  // namespace
}  // namespace braidlog::provider
