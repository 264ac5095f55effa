#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "provider/testing/offline_chat.h"

namespace braidlog::provider {
namespace {

using testing::OfflineChat;

class PlannerChat : public OfflineChat {
 public:
  PlannerChat() : OfflineChat({"create_artifact", "create_data_item", "calculator", "current_datetime", "set_tasks"}) {}
};

std::vector<std::string> titles(const testing::RecordedCall& call) {
  EXPECT_EQ(call.name, "set_tasks");
  const auto args = parse_json(call.args);
  EXPECT_TRUE(args) << call.args;
  std::vector<std::string> out;
  for (const auto& task : args->at("tasks").as_array()) {
    EXPECT_FALSE(task.at("description").as_string().empty());
    out.emplace_back(task.at("title").as_string());
  }
  return out;
}

// The titles that are set for a goal; empty when no tool is called.
std::vector<std::string> tasks(const std::string& ask) {
  PlannerChat chat;
  const auto turn = chat.ask(ask);
  return turn.calls.empty() ? std::vector<std::string>() : titles(turn.calls.at(0));
}

TEST(GoalRules, AClearGoalBecomesTasks) {
  PlannerChat chat;
  const auto turn = chat.ask("Research competitors in the CRM market");
  EXPECT_EQ(turn.text, "I make a list of tasks for competitors in the CRM market.");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(titles(turn.calls[0]),
            (std::vector<std::string>{"Define the questions about competitors in the CRM market",
                                      "Collect facts about competitors in the CRM market",
                                      "Compare the findings about competitors in the CRM market",
                                      "Summarize the findings about competitors in the CRM market"}));
  chat.result("call_1", "The list was set: 4 pending tasks.");
  const auto end = chat.turn();
  EXPECT_TRUE(end.calls.empty());
  EXPECT_TRUE(end.text.starts_with("The plan for competitors in the CRM market has 4 tasks:\n\n1. Define")) << end.text;
  EXPECT_NE(end.text.find("offline model"), std::string::npos);
}

TEST(GoalRules, GoalsInManyWords) {
  for (const char* ask :
       {"Plan a launch of our new product", "Please organize a team offsite in May",
        "I want to write a report about solar energy", "Could you help me to plan the move of our office?",
        "My goal is to learn Spanish in six months", "Make a plan for the wedding of Ann and Bob",
        "Write a report about glaciers", "organise a street festival"}) {
    const auto found = tasks(ask);
    EXPECT_GE(found.size(), 3u) << ask;
    EXPECT_LE(found.size(), 7u) << ask;
  }
  EXPECT_EQ(tasks("Make a plan for the wedding of Ann and Bob").at(0), "Define the goal of the wedding of Ann and Bob");
}

TEST(GoalRules, AVagueGoalGetsOneQuestion) {
  for (const char* ask : {"help me", "do something", "plan", "Plan a party", "Hello", "What can you do?",
                          "I have a goal", "organize", "yes please do it now"}) {
    PlannerChat chat;
    const auto turn = chat.ask(ask);
    EXPECT_TRUE(turn.calls.empty()) << ask;
    EXPECT_EQ(std::count(turn.text.begin(), turn.text.end(), '?'), 1) << turn.text;
    EXPECT_NE(turn.text.find("offline model"), std::string::npos);
  }
}

TEST(GoalRules, AnAnswerToTheQuestionIsAGoal) {
  PlannerChat chat;
  chat.ask("help me");
  const auto turn = chat.ask("a website for my bakery");
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(titles(turn.calls[0]).at(0), "Define the goal of a website for my bakery");
  PlannerChat other;
  other.ask("help me");
  EXPECT_TRUE(other.ask("I am not sure about that").calls.empty());
  PlannerChat first;
  EXPECT_TRUE(first.ask("a website for my bakery").calls.empty()) << "nobody had asked";
}

TEST(GoalRules, AsManyAsTheUserSays) {
  EXPECT_EQ(tasks("Plan the launch of our website in three tasks").size(), 3u);
  EXPECT_EQ(tasks("Plan the launch of our website with 10 tasks").size(), 10u);
  EXPECT_EQ(tasks("Plan the launch of our website with 10 tasks").back(),
            "Summarize the plan for the launch of our website");
  EXPECT_EQ(tasks("Plan the launch of our website in 12 tasks").size(), 12u);
  EXPECT_EQ(tasks("Plan the launch of our website in 1 task").size(), 1u);
}

TEST(GoalRules, TasksByName) {
  EXPECT_EQ(tasks("Use these tasks: Research prices; An impossible thing; Write a summary"),
            (std::vector<std::string>{"Research prices", "An impossible thing", "Write a summary"}));
  EXPECT_EQ(tasks("Tasks:\n1. One thing\n- Another, with a comma\n\n3) A third"),
            (std::vector<std::string>{"One thing", "Another, with a comma", "A third"}));
}

TEST(GoalRules, AskedOnceMoreItInsistsOnTheUsersNumber) {
  for (const bool taken : {true, false}) {
    PlannerChat chat;
    chat.ask("Plan the launch of our website in 2 tasks");
    chat.result("call_1", "A list has 3 to 10 tasks, this one has 2. Call set_tasks once more with 3 to 10 tasks.");
    const auto again = chat.turn();
    ASSERT_EQ(again.calls.size(), 1u);
    EXPECT_EQ(titles(again.calls[0]).size(), 2u);
    chat.result("call_2", taken ? "The list was set: 2 pending tasks." : "This session has too many tasks already.");
    const auto end = chat.turn();
    EXPECT_TRUE(end.calls.empty());
    EXPECT_TRUE(end.text.starts_with(taken ? "The plan for the launch of our website has 2 tasks"
                                           : "I could not set the tasks: This session has too many tasks already."))
        << end.text;
  }
}

TEST(GoalRules, OtherRulesGoOnWithAPlanner) {
  PlannerChat chat;
  EXPECT_EQ(chat.ask("what is 12*7?").calls.at(0).name, "calculator");
  OfflineChat without({"calculator"});
  EXPECT_TRUE(without.ask("Plan a launch of our new product").calls.empty()) << "not a planner";
}

}  // namespace
}  // namespace braidlog::provider
