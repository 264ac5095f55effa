#include "runlog/store_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

#include "port/testing/empty_store.h"

namespace braidlog {
namespace {

// A loop with a thread of its own, as simple as can be.
class ThreadLoop final : public Loop {
 public:
  ThreadLoop() : thread_([this] { run(); }) {}
  ~ThreadLoop() override {
    post([this] { stop_ = true; });
    thread_.join();
  }
  void post(Task task) override {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    wake_.notify_one();
  }
  Timer after(std::chrono::milliseconds, Task) override { return nullptr; }
  const Clock& clock() const override { return clock_; }
  unsigned index() const override { return 0; }

 private:
  void run() {
    while (!stop_) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return !tasks_.empty(); });
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }
  SystemClock clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  bool stop_ = false;
  std::thread thread_;
};

class FlakyStore final : public testing::EmptyStore {
 public:
  std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) override {
    std::vector<Result<WriteOutcome>> results;
    ++commits;
    const bool refuses = refusals_left > 0 && refusals_left-- > 0;
    for (const auto& write : writes) {
      if (refuses) {
        results.push_back(fail(ErrorCode::kStorage, "disk full"));
        continue;
      }
      if (const auto* append = std::get_if<Append>(&write)) order.push_back(append->follows.value);
      results.emplace_back(WriteOutcome{});
    }
    return results;
  }

  std::atomic<int> refusals_left{0};
  std::atomic<int> commits{0};
  std::vector<std::uint64_t> order;
};

template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(StoreThreads, OrderIsKeptAndEveryWriteIsAnswered) {
  FlakyStore store;
  ThreadLoop loop;
  std::atomic<int> done{0};
  {
    auto threads = StoreThreads::start(store, 2);
    ASSERT_TRUE(threads.has_value());
    for (std::uint64_t i = 0; i < 1000; ++i) {
      Append append;
      append.follows = {i};
      submit_one(**threads, std::move(append), loop, [&](Result<WriteOutcome> r) { done += r.has_value(); });
    }
  }
  EXPECT_TRUE(eventually([&] { return done == 1000; }));
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(store.order[i], i);
}

TEST(StoreThreads, RunsThatBeginOrEndInABurstShareCommits) {
  FlakyStore store;
  ThreadLoop loop;
  std::atomic<int> done{0};
  auto threads = StoreThreads::start(store, 1);
  const auto begun_at = std::chrono::steady_clock::now();
  for (int i = 0; i < 1'000; ++i) {
    Append end;
    end.sealed = "all of it";
    submit_one(**threads, i % 2 == 0 ? Write(NewRun{}) : Write(std::move(end)), loop,
               [&](Result<WriteOutcome> r) { done += r.has_value(); });
    // Long enough for a commit of each one alone.
    const auto next = begun_at + (i + 1) * std::chrono::microseconds(40);
    while (std::chrono::steady_clock::now() < next) std::this_thread::yield();
  }
  ASSERT_TRUE(eventually([&] { return done == 1'000; }));
  const auto time = std::chrono::steady_clock::now() - begun_at;
  EXPECT_LE(store.commits, time / TurnPace::kDistance + TurnPace::kAtOnceMax + 1);
}

TEST(StoreThreads, AnAppendOutlivesAFullDiskAndOtherWritesFailAtOnce) {
  FlakyStore store;
  store.refusals_left = 3;
  ThreadLoop loop;
  auto threads = StoreThreads::start(store, 1);
  std::atomic<int> appended{0}, refused{0};
  submit_one(**threads, Append{}, loop, [&](Result<WriteOutcome> r) { appended += r.has_value(); });
  EXPECT_TRUE(eventually([&] { return !(*threads)->healthy(); }));
  submit_one(**threads, NewSession{}, loop, [&](Result<WriteOutcome> r) { refused += !r.has_value(); });
  EXPECT_TRUE(eventually([&] { return refused == 1; }));
  EXPECT_TRUE(eventually([&] { return appended == 1; }));
  EXPECT_TRUE(eventually([&] { return (*threads)->healthy(); }));
  EXPECT_EQ(store.order.size(), 1u);
}

TEST(StoreThreads, BatchesThatShareACommitComeBackEachWithItsOwn) {
  FlakyStore store;
  store.refusals_left = 1;  // the first waits for the second
  ThreadLoop loop;
  auto threads = StoreThreads::start(store, 1);
  std::atomic<int> right{0};
  const auto submit = [&](std::uint64_t first, std::uint64_t count) {
    std::vector<Write> writes;
    for (std::uint64_t i = first; i < first + count; ++i) writes.emplace_back(Append{.follows = {i}});
    (*threads)->submit(std::move(writes), loop, [&right, first, count](Written written) {
      bool is_right = written.writes.size() == count && written.outcomes.size() == count;
      for (std::uint64_t i = 0; is_right && i < count; ++i) {
        is_right = std::get<Append>(written.writes[i]).follows.value == first + i && written.outcomes[i].has_value();
      }
      right += is_right;
    });
  };
  submit(0, 3);
  EXPECT_TRUE(eventually([&] { return !(*threads)->healthy(); }));
  submit(3, 1);
  submit(4, 5);
  EXPECT_TRUE(eventually([&] { return right == 3; }));
  ASSERT_EQ(store.order.size(), 9u);
  for (std::uint64_t i = 0; i < 9; ++i) EXPECT_EQ(store.order[i], i);
}

TEST(StoreThreads, ReadsComeBackToTheLoop) {
  FlakyStore store;
  ThreadLoop loop;
  auto threads = StoreThreads::start(store, 2);
  std::atomic<bool> answered{false};
  read_then(
      **threads, loop, [](StoreReader& reader) { return reader.session({}); },
      [&](Result<api::Session> session) { answered = session.error().code == ErrorCode::kSessionNotFound; });
  EXPECT_TRUE(eventually([&] { return answered.load(); }));
}

}  // namespace
}  // namespace braidlog
