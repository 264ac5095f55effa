#include "sandbox/sandbox_thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/check.h"

namespace braidlog::sandbox {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::uint64_t kBell = 0;  // keys of processes begin higher
constexpr milliseconds kShutdownMax{3'000};
constexpr milliseconds kHealthWait{15'000};  // longer than a start may take

}  // namespace

SandboxThread::SandboxThread(const Limits& limits, Programs programs)
    : limits_(limits),
      programs_(std::move(programs)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  BRAIDLOG_CHECK(epoll_ && bell_);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kBell;
  BRAIDLOG_CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, bell_.get(), &event) == 0);
  thread_ = std::thread([this] { run(); });
}

SandboxThread::~SandboxThread() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  post([](Pool&) {});
  thread_.join();
}

void SandboxThread::post(UniqueFunction<void(Pool&)> task) {
  {
    MutexLock lock(mutex_);
    posted_.push_back(std::move(task));
  }
  (void)!::eventfd_write(bell_.get(), 1);
}

std::optional<std::string> SandboxThread::problem() {
  const auto until = steady_clock::now() + kHealthWait;
  MutexLock lock(mutex_);
  while (!health_known_ && steady_clock::now() < until) health_changed_.wait_for(mutex_, milliseconds(100));
  return problem_;
}

void SandboxThread::run() {
  ::pthread_setname_np(::pthread_self(), "sandbox");
  // Signals are for the main thread; and a pipe whose reader has gone would raise one here.
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);

  Pool pool(limits_, programs_, epoll_.get(), [this](std::optional<std::string> why) { set_health(std::move(why)); });
  while (run_posted(pool)) round(pool);
  pool.shut_down();
  const auto until = steady_clock::now() + kShutdownMax;
  while (!pool.empty() && steady_clock::now() < until) round(pool);
}

bool SandboxThread::run_posted(Pool& pool) {
  std::vector<UniqueFunction<void(Pool&)>> tasks;
  bool stopping = false;
  {
    MutexLock lock(mutex_);
    tasks.swap(posted_);
    stopping = stopping_;
  }
  for (auto& task : tasks) task(pool);
  pool.tick();
  return !stopping;
}

void SandboxThread::round(Pool& pool) {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), pool.timeout_ms());
  for (int i = 0; i < count; ++i) {
    const auto key = events[static_cast<std::size_t>(i)].data.u64;
    if (key != kBell) {
      pool.handle(key);
      continue;
    }
    eventfd_t rings = 0;
    (void)!::eventfd_read(bell_.get(), &rings);
  }
  pool.tick();
}

void SandboxThread::set_health(std::optional<std::string> problem) {
  MutexLock lock(mutex_);
  health_known_ = true;
  problem_ = std::move(problem);
  health_changed_.notify_all();
}

}  // namespace braidlog::sandbox
