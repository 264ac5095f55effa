// A loop that is stepped one task at a time. What another thread posts to it can be held back on the way: a thread may
// be stopped between the moment at which it knows something and the one at which it says so.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/testing/fake_loop.h"

namespace braidlog::sim {

// Posts that were made and have not arrived.
struct HeldPost {
  Loop* loop;
  Task task;
};

class SimLoop final : public Loop {
 public:
  SimLoop(testing::FakeClock& clock, unsigned index) : inner_(clock, index) {}

  void post(Task task) override {
    if (hold_ != nullptr) return hold_->push_back({&inner_, std::move(task)});
    inner_.post(std::move(task));
  }
  Timer after(std::chrono::milliseconds delay, Task task) override { return inner_.after(delay, std::move(task)); }
  const Clock& clock() const override { return inner_.clock(); }
  unsigned index() const override { return inner_.index(); }

  // Posts go there from now on; null: they arrive.
  void hold(std::vector<HeldPost>* hold) { hold_ = hold; }

  bool run_one() { return inner_.run_one(); }
  void drop_ready() { inner_.drop_ready(); }
  bool run_due() { return inner_.run_due(); }
  bool idle() const { return inner_.idle(); }
  std::optional<MonoTime> next_due() const { return inner_.next_due(); }
  std::size_t timer_count() const { return inner_.timer_count(); }

 private:
  testing::FakeLoop inner_;
  std::vector<HeldPost>* hold_ = nullptr;
};

}  // namespace braidlog::sim
