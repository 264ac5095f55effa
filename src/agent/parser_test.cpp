#include "agent/parser.h"

#include <gtest/gtest.h>

#include "agent/digest.h"
#include "agent/testing/parsing.h"
#include "base/duration.h"

namespace braidlog::agent {
namespace {

using std::chrono::milliseconds;
using testing::faults;
using testing::parsed;
using testing::vocabulary;

TEST(AgentParser, ReadsEverything) {
  const auto agent = parsed(R"(name: support-2
description: Answers questions
model: {provider: offline, name: x, temperature: 0.2, pace: 1s, fail: hang}
instructions: |
  You are
  kind.
style: code
planning: {interval: 5}
max_steps: 64
approval: {default: deny, tools: {file_write: ask, calculator: auto}, timeout: 90s, on_reject: end}
tools:
  - file_write
  - calculator
)");
  EXPECT_EQ(agent.name, "support-2");
  EXPECT_EQ(agent.description, "Answers questions");
  EXPECT_EQ(agent.model.provider, "offline");
  EXPECT_EQ(agent.model.name, "x");
  EXPECT_EQ(agent.model.temperature, 0.2);
  EXPECT_EQ(agent.model.pace, milliseconds(1000));
  EXPECT_EQ(agent.model.fail, "hang");
  EXPECT_EQ(agent.instructions, "You are\nkind.\n");
  EXPECT_EQ(agent.style, api::Style::kCode);
  EXPECT_EQ(agent.planning_interval, 5u);
  EXPECT_EQ(agent.max_steps, 64u);
  EXPECT_EQ(agent.approval.fallback, api::Policy::kDeny);
  EXPECT_EQ(agent.approval.for_tool("file_write"), api::Policy::kAsk);
  EXPECT_EQ(agent.approval.for_tool("calculator"), api::Policy::kAuto);
  EXPECT_EQ(agent.approval.for_tool("file_read"), api::Policy::kDeny);
  EXPECT_EQ(agent.approval.timeout, milliseconds(90'000));
  EXPECT_EQ(agent.approval.on_reject, api::OnReject::kEnd);
  EXPECT_EQ(agent.tools, (std::vector<std::string>{"file_write", "calculator"}));
}

TEST(AgentParser, ANameIsEnough) {
  const auto agent = parsed("name: a");
  EXPECT_EQ(agent.model.provider, "auto");
  EXPECT_FALSE(agent.model.pace);
  EXPECT_EQ(agent.style, api::Style::kTools);
  EXPECT_EQ(agent.planning_interval, 3u);
  EXPECT_EQ(agent.max_steps, 12u);
  EXPECT_EQ(agent.approval.fallback, api::Policy::kAsk);
  EXPECT_TRUE(agent.tools.empty());
}

TEST(AgentParser, TheVersionIsADigestOfTheText) {
  EXPECT_EQ(parsed("name: a").version.size(), 12u);
  EXPECT_EQ(parsed("name: a").version, parsed("name: a").version);
  EXPECT_NE(parsed("name: a").version, parsed("name: a\n").version);
  EXPECT_EQ(digest(""), "cbf29ce48422");
}

TEST(AgentParser, UnknownKeysWithTheirPlace) {
  EXPECT_EQ(faults("modle: {}"), "a.yaml:2:1: unknown key 'modle' (did you mean 'model'?)");
  EXPECT_EQ(faults("description: x\n\nwhatever: 1"), "a.yaml:4:1: unknown key 'whatever'");
  EXPECT_EQ(faults("model:\n  provider: offline\n  temprature: 1"),
            "a.yaml:4:3: unknown key 'temprature' (did you mean 'temperature'?)");
  EXPECT_EQ(faults("approval: {defalt: ask}"), "a.yaml:2:12: unknown key 'defalt' (did you mean 'default'?)");
  EXPECT_EQ(faults("instructions: {fiel: x}").substr(0, 39), "a.yaml:2:15: 'instructions' must be a t");
}

TEST(AgentParser, AllFaultsInTheOrderOfTheFile) {
  EXPECT_EQ(faults("max_steps: 0\nstyle: odd\nfoo: 1"),
            "a.yaml:2:12: 'max_steps' must be a number from 1 to 64\n"
            "a.yaml:3:8: 'style' must be tools or code\n"
            "a.yaml:4:1: unknown key 'foo'");
}

TEST(AgentParser, Names) {
  const auto message = [](std::string_view yaml) { return parse_agent(yaml, "a.yaml", vocabulary()).error().message; };
  EXPECT_EQ(message("description: x"), "a.yaml:1:1: 'name' is missing");
  for (const char* name : {"'a b'", "a_b", "ä", "''", "[a]", "a/../b"}) {
    EXPECT_EQ(message("name: " + std::string(name)), "a.yaml:1:7: 'name' must be 1 to 64 letters, digits or hyphens");
  }
  EXPECT_EQ(message("name: " + std::string(65, 'a')), "a.yaml:1:7: 'name' must be 1 to 64 letters, digits or hyphens");
  for (const std::string name : {"stream", "history", "conversations"}) {
    EXPECT_EQ(message("name: " + name),
              "a.yaml:1:7: '" + name + "' cannot be a name: /agent/" + name + " is an address of its own");
  }
  EXPECT_EQ(parsed("name: streams").name, "streams");
}

TEST(AgentParser, StyleAndPlanning) {
  EXPECT_EQ(parsed("name: a\nstyle: tools").style, api::Style::kTools);
  EXPECT_EQ(parsed("name: a\nplanning: {interval: 0}").planning_interval, 0u) << "never a plan";
  EXPECT_EQ(parsed("name: a\nplanning: {interval: 100}").planning_interval, 100u);
  EXPECT_EQ(parsed("name: a\nplanning: {}").planning_interval, 3u);
  EXPECT_EQ(faults("style: [code]"), "a.yaml:2:8: 'style' must be tools or code");
  EXPECT_EQ(faults("planning: 3"), "a.yaml:2:11: 'planning' must be a mapping");
  EXPECT_EQ(faults("planning: {intervall: 3}"), "a.yaml:2:12: unknown key 'intervall' (did you mean 'interval'?)");
  for (const char* count : {"101", "-1", "often", "1.5", "[1]", "''"}) {
    EXPECT_EQ(faults("planning: {interval: " + std::string(count) + "}"),
              "a.yaml:2:22: 'interval' must be a number from 0 to 100");
  }
}

TEST(AgentParser, Approvals) {
  EXPECT_EQ(faults("approval: ask"), "a.yaml:2:11: 'approval' must be a mapping");
  EXPECT_EQ(faults("approval: {default: maybe}"), "a.yaml:2:21: 'default' must be ask, auto or deny");
  EXPECT_EQ(faults("tools: [file_write]\napproval:\n  tools:\n    file_write: yes"),
            "a.yaml:5:17: 'file_write' must be ask, auto or deny");
  EXPECT_EQ(
      faults("tools: [file_write]\napproval: {tools: {file_wirte: auto}}"),
      "a.yaml:3:20: approval for 'file_wirte', which is not among the agent's tools (did you mean 'file_write'?)");
  EXPECT_EQ(faults("approval: {tools: [x]}"), "a.yaml:2:19: 'approval.tools' must be a mapping");
  EXPECT_EQ(faults("approval: {timeout: soon}"),
            "a.yaml:2:21: 'timeout' must be a duration such as 500ms, 90s, 30m or 1h");
  EXPECT_EQ(faults("approval: {timeout: 0s}"), "a.yaml:2:21: 'timeout' must not be 0");
  EXPECT_EQ(faults("approval: {on_reject: stop}"), "a.yaml:2:23: 'on_reject' must be continue or end");
}

TEST(AgentParser, Tools) {
  EXPECT_EQ(faults("tools: calculator"), "a.yaml:2:8: 'tools' must be a list");
  EXPECT_EQ(faults("tools:\n  - calculator\n  - file_raed"),
            "a.yaml:4:5: unknown tool 'file_raed' (did you mean 'file_read'?)");
  EXPECT_EQ(faults("tools: [calculator, calculator]"), "a.yaml:2:21: tool 'calculator' is there twice");
  EXPECT_EQ(faults("tools: [[x]]"),
            "a.yaml:2:9: a tool must be the name of a built-in tool, or one name with its settings");
  EXPECT_EQ(faults("tools: [{a: 1, b: 2}]"),
            "a.yaml:2:9: a tool must be the name of a built-in tool, or one name with its settings");
  EXPECT_EQ(faults("tools: [{odd: 1}]"), "a.yaml:2:9: unknown kind of tool 'odd'");
  EXPECT_EQ(faults("tools: [{calculator: {x: 1}}]"), "a.yaml:2:9: tool 'calculator' has no settings");
}

TEST(AgentParser, Knowledge) {
  const auto agent = parsed("name: a\ntools: [knowledge]\napproval: {tools: {search_knowledge_base: auto}}");
  EXPECT_EQ(agent.tools, std::vector<std::string>{"search_knowledge_base"})
      << "the tool's own name is what a run records";
  EXPECT_FALSE(agent.knowledge) << "the documents in the binary";
  EXPECT_EQ(parsed("name: a\ntools: [search_knowledge_base]").tools, agent.tools);

  EXPECT_EQ(faults("tools: [knowlege]"), "a.yaml:2:9: unknown tool 'knowlege' (did you mean 'knowledge'?)");
  EXPECT_EQ(faults("tools: [{knowlege: {}}]"),
            "a.yaml:2:9: unknown kind of tool 'knowlege' (did you mean 'knowledge'?)");
  EXPECT_EQ(faults("tools:\n  - knowledge:"),
            "a.yaml:3:5: 'knowledge' must be a mapping, as in knowledge: {folder: NAME}");
  EXPECT_EQ(faults("tools:\n  - knowledge: x"),
            "a.yaml:3:16: 'knowledge' must be a mapping, as in knowledge: {folder: NAME}");
  EXPECT_EQ(faults("tools:\n  - knowledge: {}"), "a.yaml:3:16: 'knowledge' needs a 'folder'");
  EXPECT_EQ(faults("tools:\n  - knowledge: {folder: [x]}"), "a.yaml:3:25: 'folder' must be a text");
  EXPECT_EQ(faults("tools:\n  - knowledge: {foldr: x}"),
            "a.yaml:3:16: 'knowledge' needs a 'folder'\n"
            "a.yaml:3:17: unknown key 'foldr' (did you mean 'folder'?)");
  EXPECT_EQ(faults("tools:\n  - knowledge: {folder: x}"), "a.yaml:3:25: knowledge cannot be in a folder here");
  EXPECT_EQ(faults("tools: [knowledge, search_knowledge_base]"),
            "a.yaml:2:20: tool 'search_knowledge_base' is there twice");
}

TEST(AgentParser, Instructions) {
  EXPECT_EQ(faults("instructions: [x]"), "a.yaml:2:15: 'instructions' must be a text or {file: NAME}");
  EXPECT_EQ(faults("instructions: {file: x.md}"), "a.yaml:2:22: instructions cannot be in a file here");
}

TEST(AgentParser, WhatIsNoYaml) {
  const auto message = [](std::string_view yaml) { return parse_agent(yaml, "a.yaml", vocabulary()).error().message; };
  EXPECT_EQ(message(""), "a.yaml:1:1: the file must hold one YAML document");
  EXPECT_EQ(message("name: a\n---\nname: b"), "a.yaml:1:1: the file must hold one YAML document");
  EXPECT_EQ(message("- a"), "a.yaml:1:1: an agent file must be a mapping");
  EXPECT_EQ(message("name: a\nmodel: {provider: offline"), "a.yaml:2:1: end of map flow not found");
  EXPECT_EQ(message("name: a\nname: b"), "a.yaml:2:1: key 'name' is there twice");
  EXPECT_EQ(message("name: a\n[x]: b"), "a.yaml:2:1: a key must be a plain word");
  EXPECT_EQ(message("name: \xff"), "a.yaml:1:1: the file is not valid UTF-8");
  EXPECT_EQ(message(std::string(300'000, '#')), "a.yaml:1:1: the file is larger than 256 KiB");
  EXPECT_FALSE(parse_agent(std::string(100'000, '['), "a.yaml", vocabulary()));
}

TEST(Duration, UnitsAndNothingElse) {
  EXPECT_EQ(parse_duration("0ms"), milliseconds(0));
  EXPECT_EQ(parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(parse_duration("90s"), milliseconds(90'000));
  EXPECT_EQ(parse_duration("30m"), milliseconds(1'800'000));
  EXPECT_EQ(parse_duration("1h"), milliseconds(3'600'000));
  EXPECT_EQ(parse_duration("87600h"), std::chrono::hours(87600));
  EXPECT_EQ(parse_duration("7d"), std::chrono::hours(7 * 24));
  for (const char* text :
       {"", "5", "ms", "-1s", "+1s", "1.5s", "1 s", "1w", "87601h", "99999999999999999999s", "1sx"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

}  // namespace
}  // namespace braidlog::agent
