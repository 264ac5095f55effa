// The agents that can be run: each with its model and its tools. A load publishes all of them at once; a reader holds
// the lock only to copy one pointer. Thread-safe.
//
// Tools of MCP servers come, change and go while the server runs. A server tells of it on a thread of its own and waits
// for nobody; a thread of the catalog then makes the agents that use it anew. Whatever ends a server does so on the
// thread of a load, on that thread or where a run lets go of its agent, never with the lock held.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/agent_maker.h"
#include "agent/folder.h"
#include "agent/loaded_agent.h"
#include "agent/refresh_thread.h"
#include "agent/tool_sources.h"
#include "api/agent.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "port/agent_catalog.h"

namespace braidlog::agent {

// What a reload has done.
struct Reload {
  std::vector<std::shared_ptr<const RunnableAgent>> loaded;  // new or changed, by name
  std::vector<std::string> removed;                          // names that are no agents any more
  std::vector<api::AgentFault> faults;
};

// What a check has seen. Agents are as in their files, without servers: `fs__*` stands for all tools of MCP server fs.
struct FolderCheck {
  std::vector<std::shared_ptr<const LoadedAgent>> agents;  // the good ones, those in the binary among them, by name
  std::string faults;                                      // one line each; empty: there are none
};

class Catalog final : public AgentCatalog {
 public:
  // Empty until something is loaded. `failure_kinds` is what `model: {fail: …}` may say.
  Catalog(ToolSources tools, ModelFactory make_model, std::vector<std::string> failure_kinds);
  ~Catalog() override;

  // The agents in the binary and, over them by name, those of `folder`; none: the former alone. Starts MCP servers and
  // waits for them: not on an io thread. kBadField; the message has a line for every fault, and nothing has changed.
  Status load(const std::optional<std::filesystem::path>& folder);
  // The same while runs go on. A file that is at fault leaves its agent as it was and does not hold up the others; an
  // agent whose file is gone goes, and the binary's own of that name comes back. An agent that has not changed keeps
  // what was made for it.
  Reload reload(const std::filesystem::path& folder);
  // Reads everything and makes what can be made without starting a process or connecting to anything. Changes nothing.
  FolderCheck check(const std::filesystem::path& folder) const;

  // What the files of the last load name beside themselves: when these change, so may the agents.
  NamedFiles named_files() const;

  std::shared_ptr<const RunnableAgent> find(std::string_view name) const override;
  std::vector<std::shared_ptr<const RunnableAgent>> all() const override;
  CatalogView view() const override;
  // `writer` for runs, `support` for chat, `operator` for conversation, `analyst` for steps, `planner` for tasks,
  // `assistant` for everything else.
  std::string default_for(std::string_view contract) const override;

 private:
  struct Entry {
    std::shared_ptr<const LoadedAgent> loaded;
    std::shared_ptr<const RunnableAgent> runnable;
  };
  struct Snapshot {
    std::map<std::string, Entry, std::less<>> agents;
    NamedFiles named;
    std::vector<api::AgentFault> faults;
  };
  using SnapshotPtr = std::shared_ptr<const Snapshot>;
  class Loading;

  SnapshotPtr snapshot() const;
  // Also brings what servers told while the load was under way.
  void publish(SnapshotPtr next);
  // Makes anew what servers changed.
  void refresh();

  const AgentMaker maker_;
  Mutex loading_;  // one load at a time; held for as long as servers take to come up

  mutable Mutex mutex_;
  SnapshotPtr snapshot_ GUARDED_BY(mutex_);  // what it points to never changes

  RefreshThread refresh_thread_;  // last, so that it ends first
};

}  // namespace braidlog::agent
