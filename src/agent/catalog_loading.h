// One load of a catalog, from reading the files to the set of agents that is published. Used by one thread.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "agent/catalog.h"
#include "agent/server_pool.h"

namespace braidlog::agent {

class Catalog::Loading {
 public:
  explicit Loading(const Catalog& catalog);

  // The files of a folder, over the agents in the binary.
  void read(const std::filesystem::path& folder);
  // Gives every agent its model and tools, and starts the servers of tools that do not run yet.
  void make_all();
  // The same without any server.
  void make_without_servers();

  // One line each, in the order of the files.
  std::string all_faults() const;
  std::vector<std::shared_ptr<const LoadedAgent>> made() const;
  // Waits for the new servers. What is at fault is as it was before.
  SnapshotPtr finish();
  Reload report() const;

 private:
  // Which file gives each agent where two have one name: the one that does now, else the first.
  void choose(std::vector<AgentFile> files);
  void want(AgentText text);
  void make(ServerPool* servers);
  // What runs now under this name, when it is what is wanted.
  std::shared_ptr<const LoadedAgent> unchanged(const AgentText& wanted) const;
  void add_fault(const std::string& file, const std::string& lines);
  // The agents of files that are at fault now.
  void keep_what_was();

  const Catalog& catalog_;
  const SnapshotPtr before_;
  ServerPool servers_;
  std::map<std::string, AgentText> wanted_;
  std::map<std::string, std::shared_ptr<const LoadedAgent>> made_;
  std::vector<api::AgentFault> faults_;
  NamedFiles named_;
  bool is_folder_lost_ = false;  // it cannot be read: nothing changes
  SnapshotPtr next_;
};

}  // namespace braidlog::agent
