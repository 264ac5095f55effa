#include "auth/turnstile.h"

#include <utility>

namespace braidlog::auth {

bool Turnstile::enter(Task task) {
  {
    MutexLock lock(mutex_);
    if (running_ == rule_.running_max) {
      if (waiting_.size() >= rule_.waiting_max) return false;
      waiting_.push_back(std::move(task));
      return true;
    }
    ++running_;
  }
  start(std::move(task));
  return true;
}

void Turnstile::start(Task task) {
  pool_.run([this, task = std::move(task)]() mutable {
    task();
    next();
  });
}

void Turnstile::next() {
  Task task;
  {
    MutexLock lock(mutex_);
    if (waiting_.empty()) {
      --running_;
      return;
    }
    task = std::move(waiting_.front());
    waiting_.pop_front();
  }
  start(std::move(task));
}

}  // namespace braidlog::auth
