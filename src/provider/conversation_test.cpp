#include "provider/conversation.h"

#include <gtest/gtest.h>

namespace braidlog::provider {
namespace {

using Role = ModelMessage::Role;

// As "user:text", "assistant:text[id name args,…]", "tool:id=text".
std::string spelled(const ModelRequest& request, CallIds ids = CallIds::kAsTheyAre) {
  std::string out;
  for (const auto& message : valid_conversation(request, ids)) {
    if (!out.empty()) out += " | ";
    if (message.role == Role::kUser) out += "user:" + message.text;
    if (message.role == Role::kTool) out += "tool:" + message.call_id + "=" + message.text;
    if (message.role != Role::kAssistant) continue;
    out += "assistant:" + message.text;
    for (const auto& call : message.calls) out += "[" + call.id + " " + call.name + " " + call.args_json + "]";
  }
  return out;
}
ModelMessage user(std::string text) {
  return {.role = Role::kUser, .text = std::move(text)};
}
ModelMessage assistant(std::string text, std::vector<ToolCallMessage> calls = {}) {
  return {.role = Role::kAssistant, .text = std::move(text), .calls = std::move(calls)};
}
ModelMessage result(std::string id, std::string text) {
  return {.role = Role::kTool, .text = std::move(text), .call_id = std::move(id)};
}
ModelRequest of(std::vector<ModelMessage> messages) {
  ModelRequest request;
  request.messages = std::move(messages);
  return request;
}

TEST(Conversation, AnOrdinaryOneStaysAsItIs) {
  EXPECT_EQ(spelled(of({user("q"), assistant("t", {{"c1", "f", "{\"a\":1}"}, {"c2", "g", "{}"}}), result("c1", "r1"),
                        result("c2", "r2"), assistant("done"), user("and?")})),
            "user:q | assistant:t[c1 f {\"a\":1}][c2 g {}] | tool:c1=r1 | tool:c2=r2 | assistant:done | user:and?");
}

TEST(Conversation, ItBeginsWithTheUser) {
  EXPECT_EQ(spelled(of({assistant("a"), user("q")})),
            "user:(What was said before is left out.) | assistant:a | user:q");
}

TEST(Conversation, ItEndsWithTheUserOrAResult) {
  EXPECT_EQ(spelled(of({})), "user:Go on.");
  EXPECT_EQ(spelled(of({user("q"), assistant("a")})), "user:q | assistant:a | user:Go on.");
  EXPECT_EQ(spelled(of({user("q"), assistant("", {{"c", "f", "{}"}}), result("c", "r")})),
            "user:q | assistant:[c f {}] | tool:c=r");
}

TEST(Conversation, AnAnswerThatWasCutIsOrderedToGoOn) {
  auto request = of({user("q"), assistant("Once upon")});
  request.continue_last = true;
  EXPECT_TRUE(spelled(request).starts_with("user:q | assistant:Once upon | user:Your last message was cut off"));
}

TEST(Conversation, EmptyMessagesAreLeftOutAndNeighboursJoined) {
  EXPECT_EQ(spelled(of({user("a"), assistant(""), user(""), user("b"), assistant("c"), assistant("d"), user("e")})),
            "user:a\n\nb | assistant:c\n\nd | user:e");
}

TEST(Conversation, EveryCallHasOneResultRightBehindIt) {
  EXPECT_EQ(spelled(of({user("q"), assistant("", {{"a", "f", "{}"}, {"b", "f", "{}"}}), user("x"), result("b", "rb"),
                        result("b", "again"), result("z", "nobody's")})),
            "user:q | assistant:[a f {}][b f {}] | tool:a=This call has no result. | tool:b=rb | user:x");
}

TEST(Conversation, EveryCallHasAnIdOfItsOwn) {
  EXPECT_EQ(spelled(of({user("q"), assistant("", {{"", "f", "{}"}, {"", "g", "{}"}}), result("", "1"), result("", "2"),
                        assistant("", {{"call", "h", "{}"}}), result("call", "3")})),
            "user:q | assistant:[call f {}][call_2 g {}] | tool:call=1 | tool:call_2=2 | assistant:[call_3 h {}] | "
            "tool:call_3=3");
}

TEST(Conversation, IdsArePlainWhereTheServerWantsIt) {
  const auto request = of({user("q"), assistant("", {{"functions.f:0", "f", "{}"}, {std::string(60, 'x'), "f", "{}"}}),
                           result("functions.f:0", "r")});
  EXPECT_EQ(spelled(request, CallIds::kStrict), "user:q | assistant:[functions_f_0 f {}][" + std::string(40, 'x') +
                                                    " f {}] | tool:functions_f_0=r | tool:" + std::string(40, 'x') +
                                                    "=This call has no result.");
  EXPECT_NE(spelled(request).find("[functions.f:0 f {}]"), std::string::npos);
}

TEST(Conversation, ArgumentsAndNamesThatNoServerTakes) {
  EXPECT_EQ(spelled(of({user("q"), assistant("", {{"a", "no such/tool", "{\"cut"}, {"b", "", "[1]"}})})),
            "user:q | assistant:[a no_such_tool {}][b unknown {}] | tool:a=This call has no result. | tool:b=This call "
            "has no result.");
}

}  // namespace
}  // namespace braidlog::provider
