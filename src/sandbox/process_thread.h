// A thread that processes belong to: one epoll for their pipes and their ends, and a mailbox for those who want
// something of them. The processes themselves are kept by a `Keeper`, which is made, used and destroyed on the thread:
//
//   void handle(std::uint64_t key);   an event of epoll, by a key over 0
//   void tick();                      whatever is due; after every round
//   int timeout_ms() const;           when tick() has to come at the latest; -1: whenever something happens
//   void shut_down();                 kills all
//   bool empty() const;               all are gone
//
// It has to stay until the last process is gone: a process asks to die with the thread that started it.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/thread_annotations.h"
#include "base/unique_function.h"
#include "net/unique_fd.h"

namespace braidlog::sandbox {

template <class Keeper>
class ProcessThread {
 public:
  using Make = UniqueFunction<std::unique_ptr<Keeper>(int epoll_fd)>;

  // `name` has at most 15 characters: the kernel shows it.
  ProcessThread(const char* name, Make make)
      : name_(name),
        make_(std::move(make)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    BRAIDLOG_CHECK(epoll_ && bell_);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = kBell;
    BRAIDLOG_CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, bell_.get(), &event) == 0);
    thread_ = std::thread([this] { run(); });
  }
  // Kills all processes, reaps them and joins.
  ~ProcessThread() {
    {
      MutexLock lock(mutex_);
      stopping_ = true;
    }
    post([](Keeper&) {});
    thread_.join();
  }

  // Runs `task` on the thread, in the order of the posts. From any thread.
  void post(UniqueFunction<void(Keeper&)> task) {
    {
      MutexLock lock(mutex_);
      posted_.push_back(std::move(task));
    }
    (void)!::eventfd_write(bell_.get(), 1);
  }

 private:
  static constexpr std::uint64_t kBell = 0;
  static constexpr std::chrono::milliseconds kShutdownMax{3'000};

  void run() {
    ::pthread_setname_np(::pthread_self(), name_);
    // Signals are for the main thread; and a pipe whose reader has gone would raise one here.
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);

    const auto keeper = make_(epoll_.get());
    while (run_posted(*keeper)) round(*keeper);
    keeper->shut_down();
    const auto until = std::chrono::steady_clock::now() + kShutdownMax;
    while (!keeper->empty() && std::chrono::steady_clock::now() < until) round(*keeper);
  }

  // False: it is time to end.
  bool run_posted(Keeper& keeper) {
    std::vector<UniqueFunction<void(Keeper&)>> tasks;
    bool stopping = false;
    {
      MutexLock lock(mutex_);
      tasks.swap(posted_);
      stopping = stopping_;
    }
    for (auto& task : tasks) task(keeper);
    keeper.tick();
    return !stopping;
  }

  void round(Keeper& keeper) {
    std::array<epoll_event, 64> events;
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), keeper.timeout_ms());
    for (int i = 0; i < count; ++i) {
      const auto key = events[static_cast<std::size_t>(i)].data.u64;
      if (key != kBell) {
        keeper.handle(key);
        continue;
      }
      eventfd_t rings = 0;
      (void)!::eventfd_read(bell_.get(), &rings);
    }
    keeper.tick();
  }

  const char* const name_;
  Make make_;
  UniqueFd epoll_;
  UniqueFd bell_;  // eventfd: rings when something was posted

  Mutex mutex_;
  std::vector<UniqueFunction<void(Keeper&)>> posted_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace braidlog::sandbox
