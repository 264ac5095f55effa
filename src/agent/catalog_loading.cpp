#include "agent/catalog_loading.h"

#include <algorithm>
#include <utility>

#include "agent/builtin_agents.h"

namespace braidlog::agent {

namespace {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end != 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace

Catalog::Loading::Loading(const Catalog& catalog)
    : catalog_(catalog),
      before_(catalog.snapshot()),
      servers_(catalog.maker_.make_tool_server(), catalog.refresh_thread_.request()) {
  for (const auto& [name, entry] : before_->agents) {
    for (std::size_t i = 0; i < entry.loaded->servers.size(); ++i) {
      servers_.add_running(entry.loaded->agent.mcp_servers[i], entry.loaded->servers[i]);
    }
  }
  auto builtin = builtin_agents(catalog.maker_.vocabulary());
  if (!builtin) {
    add_fault("", builtin.error().message);
    return;
  }
  for (auto& text : *builtin) {
    std::string name = text.agent.name;
    wanted_.insert_or_assign(std::move(name), std::move(text));
  }
}

void Catalog::Loading::read(const std::filesystem::path& folder) {
  auto files = read_folder(folder, catalog_.maker_.vocabulary());
  if (!files) {
    is_folder_lost_ = true;
    named_ = before_->named;
    return add_fault("", files.error().message);
  }
  choose(std::move(*files));
}

void Catalog::Loading::choose(std::vector<AgentFile> files) {
  const auto owns_its_name = [&](const AgentFile& file) {
    const auto entry = file.agent ? before_->agents.find(file.agent->name) : before_->agents.end();
    return entry != before_->agents.end() && entry->second.loaded->file == file.name;
  };
  for (const auto& file : files) {
    if (owns_its_name(file)) want({file.name, file.yaml, *file.agent});
  }
  for (auto& file : files) {
    std::ranges::move(file.named.files, std::back_inserter(named_.files));
    std::ranges::move(file.named.folders, std::back_inserter(named_.folders));
    if (!file.agent) {
      add_fault(file.name, file.agent.error().message);
    } else if (!owns_its_name(file)) {
      want({file.name, std::move(file.yaml), std::move(*file.agent)});
    }
  }
}

void Catalog::Loading::want(AgentText text) {
  std::string name = text.agent.name;
  const auto known = wanted_.find(name);
  if (known != wanted_.end() && !known->second.file.empty()) {
    return add_fault(text.file, text.file + ":1:1: agent '" + name + "' is already in " + known->second.file);
  }
  wanted_.insert_or_assign(std::move(name), std::move(text));
}

void Catalog::Loading::make_all() {
  make(&servers_);
}

void Catalog::Loading::make_without_servers() {
  make(nullptr);
}

void Catalog::Loading::make(ServerPool* servers) {
  for (const auto& [name, wanted] : wanted_) {
    if (auto same = unchanged(wanted)) {
      made_.emplace(name, std::move(same));
      continue;
    }
    auto loaded = catalog_.maker_.make(wanted, servers);
    if (loaded) {
      made_.emplace(name, std::move(*loaded));
    } else {
      add_fault(wanted.file, "agent '" + name + "': " + loaded.error().message);
    }
  }
}

std::shared_ptr<const LoadedAgent> Catalog::Loading::unchanged(const AgentText& wanted) const {
  const auto entry = before_->agents.find(wanted.agent.name);
  if (entry == before_->agents.end()) return nullptr;
  const auto& loaded = entry->second.loaded;
  if (loaded->agent.version != wanted.agent.version) return nullptr;
  if (loaded->file == wanted.file) return loaded;
  auto moved = std::make_shared<LoadedAgent>(*loaded);
  moved->file = wanted.file;
  return moved;
}

void Catalog::Loading::add_fault(const std::string& file, const std::string& lines) {
  const auto place = std::ranges::upper_bound(faults_, file, {}, &api::AgentFault::file);
  faults_.insert(place, {file, split_lines(lines), ""});
}

std::string Catalog::Loading::all_faults() const {
  std::string text;
  for (const auto& fault : faults_) {
    for (const auto& line : fault.lines) text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

std::vector<std::shared_ptr<const LoadedAgent>> Catalog::Loading::made() const {
  std::vector<std::shared_ptr<const LoadedAgent>> agents;
  for (const auto& [name, loaded] : made_) agents.push_back(loaded);
  return agents;
}

void Catalog::Loading::keep_what_was() {
  for (const auto& [name, entry] : before_->agents) {
    const auto& file = entry.loaded->file;
    const auto fault = std::ranges::find(faults_, file, &api::AgentFault::file);
    const bool is_at_fault = is_folder_lost_ || (!file.empty() && fault != faults_.end());
    if (!is_at_fault) continue;
    // Another file may have taken the name meanwhile, and is good.
    const auto made = made_.find(name);
    if (made != made_.end() && !made->second->file.empty()) continue;
    made_.insert_or_assign(name, entry.loaded);
    if (!file.empty() && fault != faults_.end()) fault->kept = name;
  }
}

Catalog::SnapshotPtr Catalog::Loading::finish() {
  keep_what_was();
  servers_.wait_for_new();
  auto next = std::make_shared<Snapshot>();
  next->named = named_;
  next->faults = faults_;
  for (const auto& [name, loaded] : made_) {
    const auto known = before_->agents.find(name);
    const bool is_known =
        known != before_->agents.end() && known->second.loaded->agent.version == loaded->agent.version;
    auto runnable = is_known ? known->second.runnable : make_runnable(*loaded);
    if (!is_known) warn_of_rules_without_tool(*runnable);
    next->agents.emplace(name, Entry{loaded, std::move(runnable)});
  }
  next_ = next;
  return next;
}

Reload Catalog::Loading::report() const {
  Reload report{.loaded = {}, .removed = {}, .faults = faults_};
  for (const auto& [name, entry] : next_->agents) {
    const auto known = before_->agents.find(name);
    if (known == before_->agents.end() || known->second.loaded->agent.version != entry.loaded->agent.version) {
      report.loaded.push_back(entry.runnable);
    }
  }
  for (const auto& [name, entry] : before_->agents) {
    if (!next_->agents.contains(name)) report.removed.push_back(name);
  }
  return report;
}

}  // namespace braidlog::agent
