// The thread that all sandboxes of code belong to, and what is known about whether they can be started.
#pragma once

#include <optional>
#include <string>

#include "base/thread_annotations.h"
#include "base/unique_function.h"
#include "sandbox/pool.h"
#include "sandbox/process_thread.h"

namespace braidlog::sandbox {

class SandboxThread {
 public:
  SandboxThread(const Limits& limits, Programs programs);

  // Runs `task` on the thread, in the order of the posts. From any thread.
  void post(UniqueFunction<void(Pool&)> task) { thread_.post(std::move(task)); }

  // Waits until it is known whether sandboxes can be started, and why not.
  std::optional<std::string> problem();

 private:
  void set_health(std::optional<std::string> problem);

  Mutex mutex_;
  Condition health_changed_;
  bool health_known_ GUARDED_BY(mutex_) = false;
  std::optional<std::string> problem_ GUARDED_BY(mutex_);

  ProcessThread<Pool> thread_;  // kills all processes, reaps them and joins, before the rest goes
};

}  // namespace braidlog::sandbox
