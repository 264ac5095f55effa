#include "sandbox/sandbox_thread.h"

#include <chrono>

namespace braidlog::sandbox {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kHealthWait{15'000};  // longer than a start may take

}  // namespace

SandboxThread::SandboxThread(const Limits& limits, Programs programs)
    : thread_("sandbox", [this, &limits, programs = std::move(programs)](int epoll_fd) {
        return std::make_unique<Pool>(limits, programs, epoll_fd,
                                      [this](std::optional<std::string> why) { set_health(std::move(why)); });
      }) {}

std::optional<std::string> SandboxThread::problem() {
  const auto until = steady_clock::now() + kHealthWait;
  MutexLock lock(mutex_);
  while (!health_known_ && steady_clock::now() < until) health_changed_.wait_for(mutex_, milliseconds(100));
  return problem_;
}

void SandboxThread::set_health(std::optional<std::string> problem) {
  MutexLock lock(mutex_);
  health_known_ = true;
  problem_ = std::move(problem);
  health_changed_.notify_all();
}

}  // namespace braidlog::sandbox
