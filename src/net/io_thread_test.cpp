#include "net/io_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/testing/raw_client.h"
#include "net/worker_pool.h"

namespace braidlog {
namespace {

using std::chrono::milliseconds;
using testing::eventually;

TEST(IoThread, RunsTasksInTheOrderOfTheirPosts) {
  SystemClock clock;
  IoThread thread(3, clock);
  EXPECT_EQ(thread.index(), 3U);
  std::vector<int> order;
  std::promise<void> done;
  for (int i = 0; i < 100; ++i) thread.post([&order, i] { order.push_back(i); });
  thread.post([&done] { done.set_value(); });
  thread.start();
  done.get_future().wait();
  ASSERT_EQ(order.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(IoThread, PostNeverRunsInsideTheCall) {
  SystemClock clock;
  IoThread thread(0, clock);
  thread.start();
  bool ran = false, ran_inside = false;
  thread.run_and_wait([&] {
    thread.post([&] { ran = true; });
    ran_inside = ran;
  });
  thread.run_and_wait([] {});
  EXPECT_TRUE(ran);
  EXPECT_FALSE(ran_inside);
}

TEST(IoThread, APostIsNotOvertakenByALaterOneOfAnotherThread) {
  SystemClock clock;
  IoThread thread(0, clock);
  thread.start();
  std::string order;
  for (int i = 0; i < 200; ++i) {
    thread.post([&] {
      thread.post([&order] { order += 'a'; });
      // Another thread posts after that, while this task still runs.
      std::thread([&] { thread.post([&order] { order += 'b'; }); }).join();
    });
    thread.run_and_wait([] {});
    thread.run_and_wait([] {});
    ASSERT_TRUE(order.ends_with("ab")) << order;
  }
}

TEST(IoThread, TasksThatNeverRanAreDropped) {
  SystemClock clock;
  const auto owned = std::make_shared<int>(0);
  {
    IoThread thread(0, clock);
    for (int i = 0; i < 3; ++i) thread.post([owned] { ++*owned; });
    thread.stop();
    thread.start();
  }
  EXPECT_EQ(*owned, 0);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(IoThread, TasksThatNeverRanCanBeDroppedBeforeTheThreadGoes) {
  SystemClock clock;
  IoThread thread(0, clock);
  thread.start();
  thread.stop();
  thread.join();
  const auto held = std::make_shared<int>(1);
  // It posts once more as it goes.
  std::shared_ptr<int> poster(new int(2), [&thread, held](const int* value) {
    delete value;
    thread.post([held] {});
  });
  thread.post([poster = std::move(poster)] {});
  thread.drop_posted();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(IoThread, TimersRunAndADestroyedHandleCancels) {
  SystemClock clock;
  IoThread thread(0, clock);
  thread.start();
  std::atomic<bool> kept{false}, cancelled{false};
  Timer first, second;
  thread.run_and_wait([&] {
    first = thread.after(milliseconds(5), [&] { kept = true; });
    second = thread.after(milliseconds(0), [&] { cancelled = true; });
    second.reset();
  });
  EXPECT_TRUE(eventually([&] { return kept.load(); }));
  EXPECT_FALSE(cancelled);
  thread.run_and_wait([&] { first.reset(); });
}

TEST(IoThread, ATimerThatIsDueButCancelledNeverRuns) {
  SystemClock clock;
  IoThread thread(0, clock);
  thread.start();
  std::atomic<bool> ran{false};
  Timer first, second;
  // Both are due in the same round: the first takes the second back when its wait is already complete.
  thread.run_and_wait([&] {
    first = thread.after(milliseconds(0), [&] { second.reset(); });
    second = thread.after(milliseconds(0), [&] { ran = true; });
    std::this_thread::sleep_for(milliseconds(5));
  });
  thread.run_and_wait([] {});
  thread.run_and_wait([&] { first.reset(); });
  EXPECT_FALSE(ran);
}

TEST(IoThread, ATimerMayDestroyItsOwnHandle) {
  SystemClock clock;
  IoThread thread(0, clock);
  thread.start();
  std::atomic<bool> ran{false};
  Timer timer;
  thread.run_and_wait([&] {
    timer = thread.after(milliseconds(1), [&] {
      timer.reset();
      ran = true;
    });
  });
  EXPECT_TRUE(eventually([&] { return ran.load(); }));
}

TEST(IoThread, RunAndWaitWorksBeforeTheStartAndAfterTheEnd) {
  SystemClock clock;
  IoThread thread(0, clock);
  int count = 0;
  thread.run_and_wait([&] { ++count; });
  thread.start();
  thread.run_and_wait([&] { ++count; });
  thread.stop();
  thread.run_and_wait([&] { ++count; });
  EXPECT_EQ(count, 3);
}

TEST(ThreadPool, RunsTasksSideBySideAndJoins) {
  std::atomic<int> count{0};
  {
    ThreadPool pool(2);
    std::promise<void> first, second;
    // Each waits for the other: this ends only when they run at the same time.
    pool.run([&] {
      first.set_value();
      second.get_future().wait();
    });
    pool.run([&] {
      second.set_value();
      first.get_future().wait();
    });
    for (int i = 0; i < 100; ++i) pool.run([&] { ++count; });
    EXPECT_TRUE(eventually([&] { return count == 100; }));
  }
  EXPECT_EQ(count, 100);
}

}  // namespace
}  // namespace braidlog
