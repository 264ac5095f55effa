#include "agent/folder.h"

#include <algorithm>
#include <utility>

#include "agent/text_file.h"

namespace braidlog::agent {

namespace fs = std::filesystem;

namespace {

AgentFile read_agent_file(const fs::path& path, const fs::path& folder, const Vocabulary& vocabulary) {
  const std::string name = path.filename().string();
  auto text = read_text_file(path);
  if (!text) return {name, fail(ErrorCode::kBadField, name + ":1:1: the file " + text.error().message)};
  NamedFiles named;
  auto agent = parse_agent(*text, name, vocabulary, folder, &named);
  return {name, std::move(agent), std::move(named), std::move(*text)};
}

}  // namespace

Result<std::vector<fs::path>> agent_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const auto extension = entry->path().extension();
    if (extension == ".yaml" || extension == ".yml") paths.push_back(entry->path());
  }
  if (error) {
    return fail(ErrorCode::kBadField, folder.string() + ": the agents folder cannot be read: " + error.message());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<std::vector<AgentFile>> read_folder(const fs::path& folder, const Vocabulary& vocabulary) {
  auto paths = agent_files(folder);
  if (!paths) return fail(std::move(paths.error()));
  std::vector<AgentFile> files;
  for (const auto& path : *paths) files.push_back(read_agent_file(path, folder, vocabulary));
  return files;
}

}  // namespace braidlog::agent
