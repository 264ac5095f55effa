// Short words for tests that parse agent files.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "agent/parser.h"

namespace braidlog::agent::testing {

inline const Vocabulary& vocabulary() {
  static const Vocabulary words{.tools = {"calculator", "file_read", "file_write", "search_knowledge_base"},
                                .failure_kinds = {"timeout", "hang"},
                                .unavailable = {{"web_search", "needs a search engine: say which"}},
                                .environment = [](const std::string& name) -> std::optional<std::string> {
                                  if (name == "TWO_LINES") return "one\ntwo";
                                  return name.starts_with("SET_") ? std::optional<std::string>("hush") : std::nullopt;
                                },
                                .check_model = [](const api::ModelSpec& model) -> Status {
                                  if (model.name == "unknown")
                                    return fail(ErrorCode::kBadField, "there is no key for it");
                                  return {};
                                },
                                .check_http_tool = [](const api::HttpTool& tool) -> Status {
                                  if (tool.description == "odd") return fail(ErrorCode::kBadField, "this is too odd");
                                  return {};
                                }};
  return words;
}

// With a folder, as a file has one; nothing of it is read unless the text says so.
inline std::optional<std::filesystem::path> folder() {
  return std::filesystem::path("/agents/here");
}

inline api::Agent parsed(std::string_view yaml) {
  auto agent = parse_agent(yaml, "a.yaml", vocabulary());
  EXPECT_TRUE(agent) << agent.error().message;
  return agent.value_or(api::Agent{});
}

// What is said about `yaml` below a first line with a name.
inline std::string faults(const std::string& yaml) {
  const auto agent = parse_agent("name: a\n" + yaml, "a.yaml", vocabulary());
  EXPECT_TRUE(agent || agent.error().code == ErrorCode::kBadField);
  return agent ? "" : agent.error().message;
}

// The same of a list of one tool, which begins at 3:5.
inline api::Agent with_tool(const std::string& tool) {
  auto agent = parse_agent("name: a\ntools:\n  - " + tool, "a.yaml", vocabulary(), folder());
  EXPECT_TRUE(agent) << agent.error().message;
  return agent.value_or(api::Agent{});
}
inline std::string tool_faults(const std::string& tool, const std::string& more = "") {
  const auto agent = parse_agent("name: a\ntools:\n  - " + tool + "\n" + more, "a.yaml", vocabulary(), folder());
  return agent ? "" : agent.error().message;
}

}  // namespace braidlog::agent::testing
