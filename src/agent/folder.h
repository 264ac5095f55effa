// A folder of agent files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/parser.h"
#include "api/agent.h"
#include "base/result.h"

namespace braidlog::agent {

struct AgentFile {
  std::string name;          // without its folder
  Result<api::Agent> agent;  // kBadField; the message has a line for every fault
  NamedFiles named{};
  std::string yaml{};
};

// The paths of every *.yaml and *.yml in the folder itself, in their order. kBadField.
Result<std::vector<std::filesystem::path>> agent_files(const std::filesystem::path& folder);

// All of them, each with what it says or what is wrong with it. kBadField: the folder cannot be read.
Result<std::vector<AgentFile>> read_folder(const std::filesystem::path& folder, const Vocabulary& vocabulary);

}  // namespace braidlog::agent
