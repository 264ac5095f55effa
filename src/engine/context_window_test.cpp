#include "engine/context_window.h"

#include <gtest/gtest.h>

#include <map>

#include "base/utf8.h"

namespace braidlog {
namespace {

using Role = ModelMessage::Role;

ModelMessage said(Role role, std::string text) {
  return {role, std::move(text), {}, {}, {}};
}

// A conversation of so many turns before the run, each `bytes` long, and then the question of the run.
ModelRequest conversation(std::size_t turns, std::size_t bytes) {
  ModelRequest request;
  request.instructions = "Be kind.";
  for (std::size_t i = 0; i < turns; ++i) {
    request.messages.push_back(said(Role::kUser, "question " + std::to_string(i) + std::string(bytes, 'q')));
    request.messages.push_back(said(Role::kAssistant, "answer " + std::to_string(i) + std::string(bytes, 'a')));
  }
  request.messages.push_back(said(Role::kUser, "the question"));
  return request;
}

void add_call(ModelRequest& request, const std::string& id, std::string result) {
  ModelMessage call = said(Role::kAssistant, "");
  call.calls = {{id, "look", "{}"}};
  request.messages.push_back(std::move(call));
  request.messages.push_back({Role::kTool, std::move(result), {}, id, {}});
}

std::size_t size_of(const ModelRequest& request) {
  std::size_t tokens = guess_tokens(request.instructions);
  for (const auto& message : request.messages) tokens += guess_tokens(message.text);
  return tokens;
}

// What every provider asks for.
void expect_valid(const ModelRequest& request) {
  ASSERT_FALSE(request.messages.empty());
  EXPECT_EQ(request.messages.front().role, Role::kUser);
  std::map<std::string, int> calls, results;
  for (const auto& message : request.messages) {
    EXPECT_TRUE(is_valid_utf8(message.text));
    for (const auto& call : message.calls) ++calls[call.id];
    if (message.role == Role::kTool) ++results[message.call_id];
  }
  EXPECT_EQ(calls, results);
}

TEST(ContextWindow, LeavesWhatFits) {
  ModelRequest request = conversation(3, 100);
  fit_into(request, 6, 10'000);
  EXPECT_EQ(request.messages.size(), 7u);
  EXPECT_EQ(request.instructions, "Be kind.");
}

TEST(ContextWindow, DropsTheOldestTurnsWhole) {
  for (std::size_t tokens = 200; tokens < 6'500; tokens += 97) {
    SCOPED_TRACE(tokens);
    ModelRequest request = conversation(10, 1'000);
    fit_into(request, 20, tokens);
    expect_valid(request);
    EXPECT_LE(size_of(request), tokens);
    EXPECT_EQ(request.messages.back().text, "the question");
    EXPECT_TRUE(request.instructions.starts_with("Be kind."));
    EXPECT_NE(request.instructions.find("left out"), std::string::npos) << "the model is told";
    ASSERT_EQ(request.messages.size() % 2, 1u) << "no answer without its question";
    // What is left are the newest ones, in order.
    for (std::size_t i = 0; i + 1 < request.messages.size(); i += 2) {
      const std::size_t turn = 10 - (request.messages.size() - 1) / 2 + i / 2;
      EXPECT_TRUE(request.messages[i].text.starts_with("question " + std::to_string(turn)));
      EXPECT_TRUE(request.messages[i + 1].text.starts_with("answer " + std::to_string(turn)));
    }
  }
}

TEST(ContextWindow, TakesNoMoreThanItMust) {
  ModelRequest request = conversation(10, 3'000);
  fit_into(request, 20, 10'500);
  EXPECT_EQ(request.messages.size(), 2u * 5 + 1);
}

TEST(ContextWindow, AnAnswerWithoutAQuestionGoesWithTheTurnBeforeIt) {
  ModelRequest request = conversation(2, 3'000);
  request.messages.insert(request.messages.begin() + 2, said(Role::kAssistant, std::string(3'000, 'b')));
  fit_into(request, 5, 3'000);
  expect_valid(request);
  EXPECT_TRUE(request.messages[0].text.starts_with("question 1"));
}

TEST(ContextWindow, ShortensEarlierResultsAndKeepsEachCallWithItsResult) {
  ModelRequest request = conversation(0, 0);
  for (int i = 0; i < 8; ++i) add_call(request, "call-" + std::to_string(i), std::string(6'000, 'r'));
  fit_into(request, 0, 6'000);
  expect_valid(request);
  EXPECT_EQ(request.messages.size(), 1u + 16) << "nothing of the run goes";
  EXPECT_LT(request.messages[2].text.size(), 600u) << "the oldest is short";
  EXPECT_EQ(request.messages.back().text.size(), 6'000u) << "the newest is whole";
}

TEST(ContextWindow, OneTextThatIsTooLongIsCutWithAMark) {
  ModelRequest request;
  std::string text = "see the file\n";
  for (int i = 0; i < 50'000; ++i) text += "é";
  request.messages = {said(Role::kUser, text)};
  fit_into(request, 0, 5'000);
  expect_valid(request);
  EXPECT_LE(size_of(request), 5'000u);
  EXPECT_TRUE(request.messages[0].text.starts_with("see the file"));
  EXPECT_NE(request.messages[0].text.find("left out"), std::string::npos);
}

TEST(ContextWindow, WhatIsToBeContinuedKeepsItsEnd) {
  ModelRequest request = conversation(0, 0);
  request.messages.push_back(said(Role::kAssistant, std::string(30'000, 'x') + "the end"));
  request.messages[0].text = std::string(20'000, 'q');
  request.continue_last = true;
  fit_into(request, 0, 11'000);
  EXPECT_TRUE(request.messages.back().text.ends_with("the end"));
  EXPECT_LT(request.messages.front().text.size(), 20'000u);
}

TEST(ContextWindow, GivesUpWhereNothingCanBeCut) {
  ModelRequest request = conversation(0, 0);
  request.instructions = std::string(100'000, 'i');
  fit_into(request, 0, 1'000);
  EXPECT_EQ(request.messages.size(), 1u);
  EXPECT_TRUE(request.instructions.starts_with(std::string(100'000, 'i')));
}

TEST(ContextWindow, LeavesRoomForTheAnswer) {
  EXPECT_EQ(prompt_tokens(100'000, 0), 100'000u - 8'192);
  EXPECT_EQ(prompt_tokens(100'000, 30'000), 70'000u);
  EXPECT_EQ(prompt_tokens(8'000, 32'000), 4'000u) << "however much an answer may be, half is for what is read";
}

}  // namespace
}  // namespace braidlog
