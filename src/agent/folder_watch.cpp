#include "agent/folder_watch.h"

#include <sys/stat.h>

#include <algorithm>

#include "agent/folder.h"

namespace braidlog::agent {

namespace fs = std::filesystem;

namespace {

// As deep and as many as knowledge_folder.h reads: beyond that the agent is at fault, whatever else changes.
constexpr int kDepthMax = 9;
constexpr std::size_t kEntriesMax = 20'000;

// Times alone miss a file that was moved here with its old time, so the number of the file and the time of its last
// change of any kind count too.
void append_look(std::string& out, const fs::path& path) {
  struct stat info {};
  out += path.native();
  if (::stat(path.c_str(), &info) == 0) {
    for (const auto number :
         {static_cast<long long>(info.st_ino), static_cast<long long>(info.st_size),
          static_cast<long long>(info.st_mtim.tv_sec), static_cast<long long>(info.st_mtim.tv_nsec),
          static_cast<long long>(info.st_ctim.tv_sec), static_cast<long long>(info.st_ctim.tv_nsec)}) {
      out += ' ' + std::to_string(number);
    }
  }
  out += '\n';
}

void append_tree(std::string& out, const fs::path& folder) {
  append_look(out, folder);
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  std::vector<fs::path> paths;
  for (; !error && entry != fs::recursive_directory_iterator() && paths.size() < kEntriesMax; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || entry.depth() >= kDepthMax) {
      entry.disable_recursion_pending();
    } else {
      paths.push_back(entry->path());
    }
  }
  // A folder is listed in no order that would stay.
  std::ranges::sort(paths);
  for (const auto& path : paths) append_look(out, path);
}

}  // namespace

std::string look_at_folder(const fs::path& folder, const NamedFiles& named) {
  std::string out;
  if (const auto files = agent_files(folder)) {
    for (const auto& path : *files) append_look(out, path);
  } else {
    out += "gone\n";
  }
  for (const auto& file : named.files) append_look(out, folder / file);
  for (const auto& name : named.folders) append_tree(out, folder / name);
  return out;
}

}  // namespace braidlog::agent
