// Reloads the agents when their files change, and when somebody asks (SIGHUP). A thread of its own looks at the files
// twice a second; a change is read once it has been at rest for a moment, so that a file is not read half written. What
// was loaded, what is at fault and why is said in the log, each fault once until the file changes.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "agent/catalog.h"
#include "base/thread_annotations.h"

namespace braidlog::app {

class AgentReload {
 public:
  // What changed since `catalog` was loaded is noticed too.
  AgentReload(agent::Catalog& catalog, std::filesystem::path folder);
  // Waits for a reload that is under way.
  ~AgentReload();
  AgentReload(const AgentReload&) = delete;
  AgentReload& operator=(const AgentReload&) = delete;

  // Reads all files as soon as possible, changed or not, and says all faults again. From any thread.
  void request();

 private:
  void run();
  // What the files look like now that they are at rest.
  std::string settled(std::string look);
  std::string look() const;
  void reload(bool is_asked);
  void tell(const api::AgentFault& fault);
  bool take_request();
  // True: it is time to end.
  bool wait(std::chrono::milliseconds time, bool until_asked);

  agent::Catalog& catalog_;
  const std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> told_;  // faults by file; of the thread alone

  Mutex mutex_;
  Condition woken_;
  bool is_asked_ GUARDED_BY(mutex_) = false;
  bool is_stopped_ GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace braidlog::app
