// Threads for work that may block, so that an io thread never does.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "base/loop.h"

namespace braidlog {

class ThreadPool final : public WorkerPool {
 public:
  explicit ThreadPool(unsigned threads);
  // Waits for the tasks that run; those that have not begun are dropped.
  ~ThreadPool() override;

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void run(Task task) override;

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;  // under mutex_
  bool stopping_ = false;     // under mutex_
  std::vector<std::thread> threads_;
};

}  // namespace braidlog
