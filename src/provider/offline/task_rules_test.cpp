#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "provider/offline/task_brief.h"
#include "provider/testing/offline_chat.h"

namespace braidlog::provider {
namespace {

using testing::OfflineChat;

constexpr const char* kReflect = "Reflect on this task in one to three sentences: what came of it.";

class WorkerChat : public OfflineChat {
 public:
  WorkerChat()
      : OfflineChat({"create_artifact", "read_artifact", "list_artifacts", "create_data_item", "calculator",
                     "current_datetime", "fail_task"}) {}
};

// As the engine words it.
std::string brief(const std::string& title, const std::string& description = "", const std::string& earlier = "") {
  return "Task: " + title + (description.empty() ? "" : "\n" + description) +
         (earlier.empty() ? "" : "\n\nResults of earlier tasks:" + earlier) +
         "\n\nWork on this task alone. End with its result as text.";
}

// What a tool would say.
std::string result_for(const testing::RecordedCall& call) {
  const auto args = parse_json(call.args).value();
  if (call.name == "create_artifact") {
    return to_json(json::object{{"artifact_id", "x"}, {"name", args.at("name")}, {"type", args.at("type")}});
  }
  if (call.name == "create_data_item")
    return to_json(json::object{{"data_item_id", "x"}, {"item_type", args.at("item_type")}});
  if (call.name == "read_artifact") return R"({"artifact_id":"x","name":"Draft","type":"document","content":"…"})";
  if (call.name == "calculator") return "40";
  if (call.name == "list_artifacts") return "0197b2c4-7d5e-7000-8000-000000000001: Draft (document)";
  return "2026-02-14T21:03:00Z, Saturday";
}

struct Worked {
  std::vector<std::string> tools;
  std::string result;
};

// Plays a task to its end.
Worked work(OfflineChat& chat, const std::string& ask) {
  Worked worked;
  auto turn = chat.ask(ask);
  for (int i = 0; i < 10 && !turn.calls.empty(); ++i) {
    for (const auto& call : turn.calls) {
      worked.tools.push_back(call.name);
      chat.result(call.id, result_for(call));
    }
    turn = chat.turn();
  }
  worked.result = turn.text;
  return worked;
}

TEST(TaskBrief, IsReadAsTheEngineWritesIt) {
  const auto task =
      read_task(brief("Draft it", "All of it.\nReally.", "\n- One: done\n- Two (failed): no: luck")).value();
  EXPECT_EQ(task.title, "Draft it");
  EXPECT_EQ(task.description, "All of it.\nReally.");
  ASSERT_EQ(task.earlier.size(), 2u);
  EXPECT_EQ(task.earlier[0].title, "One");
  EXPECT_EQ(task.earlier[0].result, "done");
  EXPECT_EQ(task.earlier[1].title, "Two (failed)");
  EXPECT_EQ(task.earlier[1].result, "no: luck");
  EXPECT_FALSE(read_task("Tasks: x"));
  EXPECT_EQ(read_task("Task: ").value().title, "");
}

TEST(TaskRules, EachKindUsesItsTools) {
  const auto tools = [](const std::string& title) {
    WorkerChat chat;
    return work(chat, brief(title)).tools;
  };
  using Tools = std::vector<std::string>;
  EXPECT_EQ(tools("Define the goal of it"), Tools{"create_artifact"});
  EXPECT_EQ(tools("Research what it needs"), Tools{"create_data_item"});
  EXPECT_EQ(tools("Estimate the effort"), Tools{"calculator"});
  EXPECT_EQ(tools("Schedule the work"), (Tools{"current_datetime", "create_artifact"}));
  EXPECT_EQ(tools("Summarize the plan"), (Tools{"list_artifacts", "create_artifact"}));
  EXPECT_EQ(tools("Review the draft"), (Tools{"list_artifacts", "read_artifact"}));
  EXPECT_EQ(tools("Something else"), Tools{"create_data_item"});
}

TEST(TaskRules, WhatItHandsToTheTools) {
  WorkerChat chat;
  const auto turn = chat.ask(brief("Draft a letter", "To the mayor.", "\n- Collect material: three facts"));
  ASSERT_EQ(turn.calls.size(), 1u);
  const auto args = parse_json(turn.calls[0].args).value();
  EXPECT_EQ(args.at("name").as_string(), "Draft a letter");
  EXPECT_EQ(args.at("type").as_string(), "document");
  const std::string content(args.at("content").as_string());
  EXPECT_TRUE(content.starts_with("# Draft a letter\n\nTo the mayor.\n")) << content;
  EXPECT_NE(content.find("- Collect material: three facts"), std::string::npos);
  EXPECT_NE(content.find("offline model"), std::string::npos);
}

TEST(TaskRules, TheResultBuildsOnWhatCameBefore) {
  const auto result = [](const std::string& title, const std::string& earlier) {
    WorkerChat chat;
    return work(chat, brief(title, "", earlier)).result;
  };
  EXPECT_EQ(
      result("Compare the findings", "\n- Collect facts: Three facts were found.\n- Ask Bob (failed): he is away"),
      "I kept a data item of type comparison. It builds on \"Collect facts\": Three facts were found.");
  EXPECT_EQ(result("Compare it", "\n- Collect facts: Three facts. It builds on \"Define it\": I kept the plan."),
            "I kept a data item of type comparison. It builds on \"Collect facts\": Three facts.");
  EXPECT_EQ(result("Compare the findings", "\n- Ask Bob (failed): he is away"),
            "I kept a data item of type comparison. No task before it was done.");
  EXPECT_EQ(result("Estimate the effort", ""),
            "At 8 hours for each of the tasks so far and three more, that is (0 + 3) * 8 = 40 hours.");
}

TEST(TaskRules, EveryPlanLeavesAnArtifactAndADataItem) {
  for (const char* goal : {"Plan a launch of our new product", "Research competitors in the CRM market",
                           "Write a report about solar energy", "Organize a street festival in three tasks"}) {
    OfflineChat planner({"set_tasks"});
    const auto args = parse_json(planner.ask(goal).calls.at(0).args).value();
    std::map<std::string, int> used;
    std::string earlier;
    for (const auto& task : args.at("tasks").as_array()) {
      const std::string title(task.at("title").as_string());
      WorkerChat chat;
      const Worked worked = work(chat, brief(title, std::string(task.at("description").as_string()), earlier));
      EXPECT_FALSE(worked.tools.empty()) << title;
      EXPECT_FALSE(worked.result.empty());
      if (!earlier.empty()) EXPECT_NE(worked.result.find("It builds on \""), std::string::npos) << worked.result;
      for (const auto& tool : worked.tools) ++used[tool];
      earlier += "\n- " + title + ": " + worked.result;
    }
    EXPECT_GE(used["create_artifact"], 1) << goal;
    EXPECT_GE(used["create_data_item"], 1) << goal;
  }
}

TEST(TaskRules, WhatCannotBeDoneFails) {
  WorkerChat chat;
  const auto turn = chat.ask(brief("Do the impossible"));
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].name, "fail_task");
  EXPECT_EQ(turn.calls[0].args, R"({"reason":"\"Do the impossible\" says itself that it cannot be done"})");
  WorkerChat other;
  EXPECT_EQ(other.ask(brief("Fail on purpose")).calls.at(0).name, "fail_task");
  WorkerChat third;
  EXPECT_EQ(third.ask(brief("Avoid failure")).calls.at(0).name, "create_data_item");
}

TEST(TaskRules, AToolThatFailsFailsTheTask) {
  WorkerChat chat;
  chat.ask(brief("Draft a letter"));
  chat.result("call_1", "the session has 1000 artifacts, and may have no more");
  const auto turn = chat.turn();
  ASSERT_EQ(turn.calls.size(), 1u);
  EXPECT_EQ(turn.calls[0].args,
            R"({"reason":"create_artifact did not work: the session has 1000 artifacts, and may have no more"})");
}

TEST(TaskRules, NothingToReadIsNoFailure) {
  WorkerChat chat;
  chat.ask(brief("Review the draft"));
  chat.result("call_1", "The session has no artifacts.");
  const auto turn = chat.turn();
  EXPECT_TRUE(turn.calls.empty());
  EXPECT_NE(turn.text.find("There is no artifact yet."), std::string::npos);
}

TEST(TaskRules, WithOtherToolsOrNone) {
  OfflineChat clock({"current_datetime", "fail_task"});
  EXPECT_EQ(work(clock, brief("Draft a letter")).tools, std::vector<std::string>{"current_datetime"});
  OfflineChat none({"fail_task"});
  const Worked worked = work(none, brief("Draft a letter"));
  EXPECT_TRUE(worked.tools.empty());
  EXPECT_NE(worked.result, "");
}

TEST(TaskRules, ATaskOfAnAgentThatWritesCode) {
  OfflineChat chat;
  chat.act_by_code({"fail_task"});
  EXPECT_EQ(chat.ask(brief("What is 6 * 7?")).text,
            "I write Python for 6 * 7.\n\n```python\nresult = 6 * 7\nprint(result)\n```");
  EXPECT_EQ(chat.observe("42").text, "6 * 7 = 42");
  EXPECT_NE(chat.ask(brief("Do the impossible")).text.find("fail_task(reason="), std::string::npos);
  EXPECT_EQ(chat.ask(brief("Draft a letter")).text.find("```"), std::string::npos);
}

TEST(TaskRules, Reflection) {
  WorkerChat chat;
  work(chat, brief("Schedule the work"));
  EXPECT_EQ(
      chat.turn_for(TurnPurpose::kReflection, kReflect).text,
      "The task \"Schedule the work\" is over, with the help of current_datetime and create_artifact. What it left "
      "is a frame: the facts have to come from people, for an offline model knows none.");
  WorkerChat failed;
  failed.ask(brief("Do the impossible"));
  failed.result("call_1", "no");
  EXPECT_EQ(
      failed.turn_for(TurnPurpose::kReflection, kReflect).text,
      "The task \"Do the impossible\" could not be done: \"Do the impossible\" says itself that it cannot be done. "
      "The tasks after it have to do without its result.");
}

}  // namespace
}  // namespace braidlog::provider
