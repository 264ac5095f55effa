#include "agent/folder.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "agent/text_file.h"

namespace braidlog::agent {

namespace fs = std::filesystem;

namespace {

Result<std::vector<fs::path>> agent_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const auto extension = entry->path().extension();
    if (extension == ".yaml" || extension == ".yml") paths.push_back(entry->path());
  }
  if (error)
    return fail(ErrorCode::kBadField, folder.string() + ": the agents folder cannot be read: " + error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Result<api::AgentList> load_folder(const fs::path& folder, const Vocabulary& vocabulary) {
  auto paths = agent_files(folder);
  if (!paths) return fail(std::move(paths.error()));
  api::AgentList agents;
  std::map<std::string, std::string> file_of;  // agent name -> file name
  std::string faults;
  const auto add_fault = [&](const std::string& lines) { faults += (faults.empty() ? "" : "\n") + lines; };
  for (const auto& path : *paths) {
    const std::string file = path.filename().string();
    const auto text = read_text_file(path);
    if (!text) {
      add_fault(file + ":1:1: the file " + text.error().message);
      continue;
    }
    auto agent = parse_agent(*text, file, vocabulary, folder);
    if (!agent) {
      add_fault(agent.error().message);
      continue;
    }
    const auto [first, is_new] = file_of.emplace(agent->name, file);
    if (!is_new) {
      add_fault(file + ":1:1: agent '" + agent->name + "' is already in " + first->second);
      continue;
    }
    agents.push_back(std::move(*agent));
  }
  if (!faults.empty()) return fail(ErrorCode::kBadField, std::move(faults));
  return agents;
}

}  // namespace braidlog::agent
