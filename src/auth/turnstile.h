// Lets a few tasks at a time onto the worker pool; the others wait in line here and not there, where file tools would
// wait behind them. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>

#include "base/loop.h"
#include "base/thread_annotations.h"

namespace braidlog::auth {

class Turnstile {
 public:
  struct Rule {
    std::size_t running_max = 2;
    std::size_t waiting_max = 64;
  };
  // `pool` outlives this, and this outlives the tasks.
  Turnstile(WorkerPool& pool, const Rule& rule) : pool_(pool), rule_(rule) {}

  // False when the line is full: the task is dropped.
  bool enter(Task task);

 private:
  void start(Task task);
  void next();

  WorkerPool& pool_;
  const Rule rule_;
  Mutex mutex_;
  std::size_t running_ GUARDED_BY(mutex_) = 0;
  std::deque<Task> waiting_ GUARDED_BY(mutex_);
};

}  // namespace braidlog::auth
