#include "net/worker_pool.h"

#include <pthread.h>

#include <utility>

#include "base/check.h"

namespace braidlog {

ThreadPool::ThreadPool(unsigned threads) {
  BRAIDLOG_CHECK(threads > 0);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::run(Task task) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void ThreadPool::work() {
  pthread_setname_np(pthread_self(), "worker");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it owned is freed before the lock is taken again
    lock.lock();
  }
}

}  // namespace braidlog
