#include "app/agent_reload.h"

#include <utility>

#include "agent/folder_watch.h"
#include "base/log.h"

namespace braidlog::app {

namespace {

constexpr std::chrono::milliseconds kLookInterval{500};
constexpr std::chrono::milliseconds kRest{200};
constexpr int kRestsMax = 10;  // somebody who never stops writing does not keep the others waiting

std::string folder_or_file(const std::filesystem::path& folder, const std::string& file) {
  return file.empty() ? folder.string() : file;
}

}  // namespace

AgentReload::AgentReload(agent::Catalog& catalog, std::filesystem::path folder)
    : catalog_(catalog), folder_(std::move(folder)), thread_([this] { run(); }) {}

AgentReload::~AgentReload() {
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
    woken_.notify_all();
  }
  thread_.join();
}

void AgentReload::request() {
  const MutexLock lock(mutex_);
  is_asked_ = true;
  woken_.notify_all();
}

bool AgentReload::take_request() {
  const MutexLock lock(mutex_);
  return std::exchange(is_asked_, false);
}

void AgentReload::run() {
  // Nothing was seen yet, so the first look always reads: a file that changed while the server came up is not missed.
  std::string seen;
  do {
    auto now = look();
    const bool is_asked = take_request();
    if (now == seen && !is_asked) continue;
    // Seen before they are read: what changes while they are read is seen as a change again.
    seen = settled(std::move(now));
    reload(is_asked);
  } while (!wait(kLookInterval, true));
}

std::string AgentReload::settled(std::string last) {
  for (int i = 0; i < kRestsMax; ++i) {
    if (wait(kRest, false)) return last;
    auto now = look();
    if (now == last) return last;
    last = std::move(now);
  }
  return last;
}

std::string AgentReload::look() const {
  return agent::look_at_folder(folder_, catalog_.named_files());
}

bool AgentReload::wait(std::chrono::milliseconds time, bool until_asked) {
  const auto end = std::chrono::steady_clock::now() + time;
  const MutexLock lock(mutex_);
  while (!is_stopped_ && !(until_asked && is_asked_)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    woken_.wait_for(mutex_, left);
  }
  return is_stopped_;
}

void AgentReload::reload(bool is_asked) {
  const auto done = catalog_.reload(folder_);
  if (is_asked) told_.clear();
  for (const auto& one : done.loaded) {
    log_info("agent loaded", {{"agent", one->agent.name}, {"version", one->agent.version}});
  }
  for (const auto& name : done.removed) log_info("agent removed", {{"agent", name}});
  std::map<std::string, std::vector<std::string>> faults;
  for (const auto& fault : done.faults) {
    const auto known = told_.find(fault.file);
    if (known == told_.end() || known->second != fault.lines) tell(fault);
    faults.emplace(fault.file, fault.lines);
  }
  for (const auto& [file, lines] : told_) {
    if (!faults.contains(file)) log_info("agent file is good again", {{"file", folder_or_file(folder_, file)}});
  }
  told_ = std::move(faults);
  if (is_asked) {
    log_info("agents reloaded", {{"agents", std::to_string(catalog_.all().size())},
                                 {"changed", std::to_string(done.loaded.size() + done.removed.size())},
                                 {"faults", std::to_string(done.faults.size())}});
  }
}

void AgentReload::tell(const api::AgentFault& fault) {
  for (const auto& line : fault.lines) {
    log_warn("agent file not loaded", {{"file", folder_or_file(folder_, fault.file)},
                                       {"fault", line},
                                       {"kept", fault.kept.empty() ? "none" : fault.kept}});
  }
}

}  // namespace braidlog::app
