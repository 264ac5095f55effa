// A conversation with the offline model, played to the end of each turn on a fake loop.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "base/testing/fake_loop.h"
#include "provider/offline/offline_model.h"
#include "provider/testing/recording_sink.h"

namespace braidlog::provider::testing {

class OfflineChat {
 public:
  explicit OfflineChat(std::initializer_list<const char*> tools = {}, std::optional<Failure> failure = std::nullopt)
      : model_(std::chrono::milliseconds(0), failure) {
    for (const char* tool : tools) request_.tools.push_back({tool, "does " + std::string(tool), "{}"});
  }

  void user(std::string text) {
    request_.messages.push_back({.role = ModelMessage::Role::kUser, .text = std::move(text)});
  }

  // One turn; what was said and called joins the conversation.
  RecordingSink turn() {
    RecordingSink sink;
    const auto call = model_.start(request_, sink, loop_);
    EXPECT_EQ(sink.heard, 0u) << "something came from inside start()";
    loop_.run_ready();
    ModelMessage message{.role = ModelMessage::Role::kAssistant, .text = sink.text};
    for (const auto& made : sink.calls) message.calls.push_back({made.id, made.name, made.args});
    request_.messages.push_back(std::move(message));
    return sink;
  }
  RecordingSink ask(std::string text) {
    user(std::move(text));
    return turn();
  }
  void result(std::string call_id, std::string text) {
    request_.messages.push_back(
        {.role = ModelMessage::Role::kTool, .text = std::move(text), .call_id = std::move(call_id)});
  }

  // From here on it acts by code, which may call these functions; it is told as the engine tells it.
  void act_by_code(std::initializer_list<const char*> functions = {}) {
    request_.writes_code = true;
    request_.instructions = "You solve problems.\n\nFunctions that are there already:";
    for (const char* name : functions) request_.instructions += "\n- " + std::string(name) + "(\u2026): does things {}";
  }
  // What came of the code of the last turn, and the next turn.
  RecordingSink observe(const std::string& printed, const std::string& error = "") {
    return ask("Observation:\n" + printed + (error.empty() ? "" : "\nError: " + error));
  }
  // A turn that has a purpose of its own, asked for in the engine's words and without tools.
  RecordingSink turn_for(TurnPurpose purpose, std::string order) {
    const auto tools = std::exchange(request_.tools, {});
    request_.purpose = purpose;
    RecordingSink sink = ask(std::move(order));
    request_.purpose = TurnPurpose::kAnswer;
    request_.tools = tools;
    return sink;
  }
  RecordingSink plan() {
    RecordingSink sink = turn_for(TurnPurpose::kPlan, "Before you act, write a short plan: what is known.");
    user("Go on.");
    return sink;
  }
  RecordingSink plan_again() {
    RecordingSink sink =
        turn_for(TurnPurpose::kPlan, "Look at what was done so far and write a short plan for what is left to do.");
    user("Go on.");
    return sink;
  }

  ModelRequest& request() { return request_; }

 private:
  ::braidlog::testing::FakeClock clock_;
  ::braidlog::testing::FakeLoop loop_{clock_};
  OfflineModel model_;
  ModelRequest request_;
};

}  // namespace braidlog::provider::testing
