// An agent file (docs: agents) as a value. Strict: an unknown key, a wrong type or a value out of range is an
// error, and all errors of a file are reported together, one line each:
//
//   support.yaml:12:3: unknown key 'modle' (did you mean 'model'?)
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/agent.h"
#include "base/result.h"

namespace braidlog::agent {

// What an agent file may name.
struct Vocabulary {
  std::vector<std::string> tools;          // built in
  std::vector<std::string> failure_kinds;  // ways in which the offline model can fail
};

// `file_name` is how errors call the file. `folder` is where `instructions: {file: x.md}` is looked for;
// none: such an agent is an error. kBadField; the message has a line per fault.
Result<api::Agent> parse_agent(std::string_view yaml, std::string_view file_name, const Vocabulary& vocabulary,
                               const std::optional<std::filesystem::path>& folder = std::nullopt);

}  // namespace braidlog::agent
