// An agent file (docs: agents) as a value. Strict: an unknown key, a wrong type or a value out of range is an
// error, and all errors of a file are reported together, one line each:
//
//   support.yaml:12:3: unknown key 'modle' (did you mean 'model'?)
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/agent.h"
#include "base/environment.h"
#include "base/result.h"

namespace braidlog::agent {

// What an agent file may name.
struct Vocabulary {
  std::vector<std::string> tools{};          // built in
  std::vector<std::string> failure_kinds{};  // ways in which the offline model can fail
  // Tools that this server could have and has not, each with what the operator would have to do for it, as the end of a
  // sentence: "needs a search engine: …".
  std::map<std::string, std::string> unavailable{};
  // Where variables are looked for that a tool's headers or its `env` name; a variable that is not set is a fault.
  // None: they are not looked for.
  Environment environment{};
  // What only the maker of models can judge, such as a key that is not set; asked of each model by itself, without what
  // it falls back to. None: that is not judged here.
  std::function<Status(const api::ModelSpec&)> check_model{};
  // What only the maker of HTTP tools can judge, such as all of a schema. None: that is not judged here.
  std::function<Status(const api::HttpTool&)> check_http_tool{};
};

// What an agent file names beside itself, whether it is there or not: when one of these changes, so may the agent. By
// their paths below the folder of the agent file.
struct NamedFiles {
  std::vector<std::string> files{};
  std::vector<std::string> folders{};
};

// In Agent.tools of a parsed file, this stands in the place of all tools of an MCP server, which nobody knows before it
// is up: "fs__*".
std::string all_tools_of(const std::string& mcp_server);

// `file_name` is how errors call the file. `folder` is where `instructions: {file: x.md}` is looked for;
// none: such an agent is an error. kBadField; the message has a line per fault. `named` is set in any case.
Result<api::Agent> parse_agent(std::string_view yaml, std::string_view file_name, const Vocabulary& vocabulary,
                               const std::optional<std::filesystem::path>& folder = std::nullopt,
                               NamedFiles* named = nullptr);

}  // namespace braidlog::agent
