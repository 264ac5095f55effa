#include "agent/refresh_thread.h"

#include <utility>

#include "base/thread_annotations.h"

namespace braidlog::agent {

struct RefreshThread::Shared {
  Mutex mutex;
  Condition woken;
  bool is_asked GUARDED_BY(mutex) = false;
  bool is_stopped GUARDED_BY(mutex) = false;

  void ask() {
    const MutexLock lock(mutex);
    is_asked = true;
    woken.notify_one();
  }

  void stop() {
    const MutexLock lock(mutex);
    is_stopped = true;
    woken.notify_one();
  }

  // False: it is over.
  bool wait() {
    const MutexLock lock(mutex);
    while (!is_asked && !is_stopped) woken.wait(mutex);
    is_asked = false;
    return !is_stopped;
  }
};

RefreshThread::RefreshThread(std::function<void()> work)
    : shared_(std::make_shared<Shared>()), thread_([shared = shared_, work = std::move(work)] {
        while (shared->wait()) work();
      }) {}

RefreshThread::~RefreshThread() {
  shared_->stop();
  thread_.join();
}

std::function<void()> RefreshThread::request() const {
  return [shared = shared_] { shared->ask(); };
}

}  // namespace braidlog::agent
