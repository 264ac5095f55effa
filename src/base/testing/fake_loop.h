// A Loop and a clock that stand still until a test moves them. Tasks run in the order of their posts, timers in the
// order of their times; nothing runs on another thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/loop.h"

namespace braidlog::testing {

class FakeClock final : public Clock {
 public:
  WallTime wall() const override { return wall_; }
  MonoTime mono() const override { return mono_; }
  void advance(std::chrono::milliseconds by) {
    wall_.ms += by.count();
    mono_.ms += by.count();
  }
  void step_wall(std::chrono::milliseconds by) { wall_.ms += by.count(); }

 private:
  WallTime wall_{1'771'102'980'000};  // 2026-02-14T21:03:00Z
  MonoTime mono_{1'000};
};

class FakeLoop final : public Loop {
 public:
  explicit FakeLoop(FakeClock& clock, unsigned index = 0) : clock_(clock), index_(index) {}

  void post(Task task) override { ready_.push_back(std::move(task)); }
  Timer after(std::chrono::milliseconds delay, Task task) override {
    const auto key = std::make_pair(clock_.mono().ms + delay.count(), next_timer_++);
    timers_->emplace(key, std::move(task));
    return std::make_unique<Handle>(timers_, key);
  }
  const Clock& clock() const override { return clock_; }
  unsigned index() const override { return index_; }

  // Runs one ready task. False when there is none.
  bool run_one() {
    if (ready_.empty()) return false;
    Task task = std::move(ready_.front());
    ready_.pop_front();
    task();
    return true;
  }
  // Destroys the tasks that are ready; what they own may post once more as it goes.
  void drop_ready() {
    while (!ready_.empty()) std::exchange(ready_, {}).clear();
  }
  void run_ready() {
    while (run_one()) {
    }
  }
  // Lets time pass, running what falls due on the way.
  void advance(std::chrono::milliseconds by) {
    const auto until = clock_.mono().ms + by.count();
    run_ready();
    while (!timers_->empty() && timers_->begin()->first.first <= until) {
      const auto due = timers_->begin()->first.first;
      if (due > clock_.mono().ms) clock_.advance(std::chrono::milliseconds(due - clock_.mono().ms));
      run_due();
      run_ready();
    }
    if (until > clock_.mono().ms) clock_.advance(std::chrono::milliseconds(until - clock_.mono().ms));
  }
  // For whoever moves the clock of several loops: when the next timer is due, and one that is due now.
  std::optional<MonoTime> next_due() const {
    return timers_->empty() ? std::nullopt : std::optional(MonoTime{timers_->begin()->first.first});
  }
  bool run_due() {
    if (timers_->empty() || timers_->begin()->first.first > clock_.mono().ms) return false;
    Task task = std::move(timers_->begin()->second);
    timers_->erase(timers_->begin());
    task();
    return true;
  }
  bool idle() const { return ready_.empty(); }
  std::size_t timer_count() const { return timers_->size(); }

 private:
  using TimerMap = std::map<std::pair<std::int64_t, std::uint64_t>, Task>;
  struct Handle final : TimerHandle {
    Handle(std::shared_ptr<TimerMap> t, TimerMap::key_type k) : timers(std::move(t)), key(k) {}
    ~Handle() override { timers->erase(key); }
    std::shared_ptr<TimerMap> timers;
    TimerMap::key_type key;
  };

  FakeClock& clock_;
  unsigned index_;
  std::deque<Task> ready_;
  std::shared_ptr<TimerMap> timers_ = std::make_shared<TimerMap>();
  std::uint64_t next_timer_ = 0;
};

// Runs blocking work at once on the caller's thread.
class InlinePool final : public WorkerPool {
 public:
  void run(Task task) override { task(); }
};

}  // namespace braidlog::testing
