#include "agent/catalog.h"

#include <utility>

#include "agent/builtin_agents.h"
#include "agent/catalog_loading.h"

namespace braidlog::agent {

Catalog::Catalog(ToolSources tools, ModelFactory make_model, std::vector<std::string> failure_kinds)
    : maker_(std::move(tools), std::move(make_model), std::move(failure_kinds)),
      snapshot_(std::make_shared<const Snapshot>()),
      refresh_thread_([this] { refresh(); }) {}

Catalog::~Catalog() = default;

Status Catalog::load(const std::optional<std::filesystem::path>& folder) {
  const MutexLock one_at_a_time(loading_);
  Loading loading(*this);
  if (folder) loading.read(*folder);
  if (auto faults = loading.all_faults(); !faults.empty()) return fail(ErrorCode::kBadField, std::move(faults));
  loading.make_all();
  if (auto faults = loading.all_faults(); !faults.empty()) return fail(ErrorCode::kBadField, std::move(faults));
  publish(loading.finish());
  return {};
}

Reload Catalog::reload(const std::filesystem::path& folder) {
  const MutexLock one_at_a_time(loading_);
  Loading loading(*this);
  loading.read(folder);
  loading.make_all();
  publish(loading.finish());
  return loading.report();
}

FolderCheck Catalog::check(const std::filesystem::path& folder) const {
  FolderCheck seen;
  Loading loading(*this);
  loading.read(folder);
  loading.make_without_servers();
  seen.faults = loading.all_faults();
  seen.agents = loading.made();
  return seen;
}

NamedFiles Catalog::named_files() const {
  return snapshot()->named;
}

void Catalog::publish(SnapshotPtr next) {
  {
    const MutexLock lock(mutex_);
    snapshot_.swap(next);
  }
  refresh();
  // Here the last snapshot goes, and with it the servers that nobody uses any more: the lock is not held.
}

void Catalog::refresh() {
  for (;;) {
    const auto now = snapshot();
    auto next = std::make_shared<Snapshot>(*now);
    std::vector<std::shared_ptr<const RunnableAgent>> fresh;
    for (auto& [name, entry] : next->agents) {
      if (entry.loaded->servers.empty()) continue;
      auto runnable = make_runnable(*entry.loaded);
      if (runnable->tools == entry.runnable->tools) continue;
      fresh.push_back(runnable);
      entry.runnable = std::move(runnable);
    }
    if (fresh.empty()) return;
    {
      const MutexLock lock(mutex_);
      if (snapshot_ != now) continue;  // somebody else was faster: once more with what that one published
      snapshot_ = std::move(next);     // `now` still holds the old one
    }
    for (const auto& runnable : fresh) warn_of_rules_without_tool(*runnable);
    return;
  }
}

Catalog::SnapshotPtr Catalog::snapshot() const {
  const MutexLock lock(mutex_);
  return snapshot_;
}

std::shared_ptr<const RunnableAgent> Catalog::find(std::string_view name) const {
  const auto now = snapshot();
  const bool is_trial = name.starts_with(kTryPrefix);
  if (is_trial) name.remove_prefix(kTryPrefix.size());
  const auto found = now->agents.find(name);
  if (found == now->agents.end()) return nullptr;
  return is_trial ? maker_.make_trial(*found->second.runnable) : found->second.runnable;
}

std::vector<std::shared_ptr<const RunnableAgent>> Catalog::all() const {
  const auto now = snapshot();
  std::vector<std::shared_ptr<const RunnableAgent>> agents;
  for (const auto& [name, entry] : now->agents) agents.push_back(entry.runnable);
  return agents;
}

CatalogView Catalog::view() const {
  const auto now = snapshot();
  CatalogView view{{}, now->faults};
  for (const auto& [name, entry] : now->agents) {
    const auto& file = entry.loaded->file;
    view.agents.push_back({entry.runnable, file.empty() ? std::nullopt : std::optional(file), entry.loaded->yaml});
  }
  return view;
}

std::string Catalog::default_for(std::string_view contract) const {
  if (contract == "runs") return "writer";
  if (contract == "chat") return "support";
  if (contract == "conversation") return "operator";
  if (contract == "steps") return "analyst";
  if (contract == "tasks") return "planner";
  return "assistant";
}

}  // namespace braidlog::agent
