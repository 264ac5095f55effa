#include "auth/turnstile.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace braidlog::auth {
namespace {

class HeldPool final : public WorkerPool {
 public:
  void run(Task task) override { tasks.push_back(std::move(task)); }
  void run_one() {
    Task task = std::move(tasks.front());
    tasks.pop_front();
    task();
  }
  std::deque<Task> tasks;
};

TEST(Turnstile, AFewAtATimeInTheirOrder) {
  HeldPool pool;
  Turnstile turnstile(pool, {.running_max = 2, .waiting_max = 3});
  std::vector<int> done;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(turnstile.enter([&done, i] { done.push_back(i); }));
  EXPECT_FALSE(turnstile.enter([&done] { done.push_back(99); })) << "the line is full";
  EXPECT_EQ(pool.tasks.size(), 2u);
  while (!pool.tasks.empty()) {
    EXPECT_LE(pool.tasks.size(), 2u);
    pool.run_one();
  }
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(turnstile.enter([&done] { done.push_back(5); }));
  EXPECT_EQ(pool.tasks.size(), 1u);
}

}  // namespace
}  // namespace braidlog::auth
