// A Loop is the executor that an object belongs to: one thread that runs tasks one after the other. Whatever
// is owned by a Loop is touched only from tasks on it, so nothing owned by a Loop needs a lock. Implemented
// by net/io_thread over Asio and by base/testing/fake_loop for tests and the simulator.
#pragma once

#include <chrono>
#include <memory>

#include "base/clock.h"
#include "base/unique_function.h"

namespace braidlog {

// Destroying the handle cancels the timer; its task then never runs. Destroy it on its Loop.
class TimerHandle {
 public:
  virtual ~TimerHandle() = default;
};
using Timer = std::unique_ptr<TimerHandle>;

class Loop {
 public:
  virtual ~Loop() = default;

  // Runs `task` later, never inside this call, in the order of the posts. May be called from any thread.
  virtual void post(Task task) = 0;

  // Runs `task` on this loop after `delay`. Only from this loop.
  [[nodiscard]] virtual Timer after(std::chrono::milliseconds delay, Task task) = 0;

  virtual const Clock& clock() const = 0;

  // Which of the server's loops this is, from 0.
  virtual unsigned index() const = 0;
};

// For what may block: files, password hashing, parsing of hostile data. May be called from any thread; tasks
// run on some pool thread, in no stated order.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;
  virtual void run(Task task) = 0;
};

}  // namespace braidlog
