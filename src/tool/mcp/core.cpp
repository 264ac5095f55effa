#include "tool/mcp/core.h"

#include <pthread.h>
#include <signal.h>
#include <sodium.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/check.h"

namespace braidlog::tool::mcp {

namespace {

using std::chrono::milliseconds;

// A little more than a process has until it is killed.
constexpr milliseconds kEndMax = kCloseGrace + kTermGrace + milliseconds(400);
constexpr milliseconds kEndPoll{5};

}  // namespace

Status Core::begin() {
  MutexLock lock(mutex_);
  if (begun_) return {};
  BRAIDLOG_CHECK(sodium_init() >= 0);
  threads_.clear();
  threads_.push_back(std::make_unique<IoThread>(0, clock_));
  auto clients = HttpClients::make(threads_, limits_);
  if (!clients) return fail(clients.error());
  clients_ = std::move(*clients);
  farewells_.emplace(thread(), *clients_);
  thread().start();
  thread().post([] {
    ::pthread_setname_np(::pthread_self(), "mcp");
    // Signals are for the main thread; and a pipe whose reader has gone would raise one here.
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  });
  begun_ = true;
  return {};
}

void Core::end() {
  {
    MutexLock lock(mutex_);
    if (!begun_) return;
  }
  bool all_gone = false;
  thread().run_and_wait([this] { servers_.clear(); });
  const auto until = std::chrono::steady_clock::now() + kEndMax;
  while (!all_gone && std::chrono::steady_clock::now() < until) {
    thread().run_and_wait([&] { all_gone = farewells_->empty(); });
    if (!all_gone) std::this_thread::sleep_for(kEndPoll);
  }
  thread().stop();
  thread().join();
  servers_.clear();  // of a task that was posted in between
  farewells_.reset();
  clients_.reset();
}

void Core::add(std::uint64_t key, ServerPlan plan, std::shared_ptr<ServerView> view) {
  thread().post([this, key, plan = std::move(plan), view = std::move(view)]() mutable {
    auto& server = *(servers_[key] = std::make_unique<Server>(
                         std::move(plan), std::move(view), Server::Place{thread(), *clients_, *farewells_, limits_}));
    server.start();
  });
}

void Core::remove(std::uint64_t key) {
  thread().post([this, key] { servers_.erase(key); });
}

void Core::with(std::uint64_t key, UniqueFunction<void(Server&)> task) {
  thread().post([this, key, task = std::move(task)]() mutable {
    const auto found = servers_.find(key);
    if (found != servers_.end()) task(*found->second);
  });
}

}  // namespace braidlog::tool::mcp
