// A folder of agent files.
#pragma once

#include <filesystem>

#include "agent/parser.h"
#include "api/agent.h"
#include "base/result.h"

namespace braidlog::agent {

// Every *.yaml and *.yml of the folder itself, by file name. Two files with one agent name are an error.
// kBadField; the message has a line for every fault of every file.
Result<api::AgentList> load_folder(const std::filesystem::path& folder, const Vocabulary& vocabulary);

}  // namespace braidlog::agent
