// The thread that all sandboxes belong to: one epoll for their pipes and their ends, and a mailbox for the sessions.
#pragma once

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"
#include "base/unique_function.h"
#include "net/unique_fd.h"
#include "sandbox/pool.h"

namespace braidlog::sandbox {

class SandboxThread {
 public:
  SandboxThread(const Limits& limits, Programs programs);
  // Kills all processes, reaps them and joins.
  ~SandboxThread();

  // Runs `task` on the thread, in the order of the posts. From any thread.
  void post(UniqueFunction<void(Pool&)> task);

  // Waits until it is known whether sandboxes can be started, and why not.
  std::optional<std::string> problem();

 private:
  void run();
  // False: it is time to end.
  bool run_posted(Pool& pool);
  void round(Pool& pool);
  void set_health(std::optional<std::string> problem);

  const Limits& limits_;
  const Programs programs_;
  UniqueFd epoll_;
  UniqueFd bell_;  // eventfd: rings when something was posted

  Mutex mutex_;
  Condition health_changed_;
  std::vector<UniqueFunction<void(Pool&)>> posted_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool health_known_ GUARDED_BY(mutex_) = false;
  std::optional<std::string> problem_ GUARDED_BY(mutex_);

  std::thread thread_;
};

}  // namespace braidlog::sandbox
