// StoreAccess with real threads: one writer, some readers.
#pragma once

#include <atomic>
#include <deque>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"
#include "runlog/store_access.h"
#include "runlog/store_counters.h"
#include "runlog/turn_pace.h"

namespace braidlog {

class StoreThreads final : public StoreAccess {
 public:
  // `store` outlives this. Throws nothing; a reader that cannot be opened stops the start-up with an Error.
  static Result<std::unique_ptr<StoreThreads>> start(RunStore& store, unsigned reader_count);
  // Commits what was submitted, then stops. No loop may be used by `done` callbacks after its owner is gone,
  // so destroy this before the loops.
  ~StoreThreads() override;

  void submit(std::vector<PendingWrite> writes) override;
  void read(UniqueFunction<void(StoreReader&)> query) override;
  bool healthy() const override { return healthy_.load(std::memory_order_relaxed); }
  const StoreCounters& counters() const { return counters_; }

 private:
  explicit StoreThreads(RunStore& store) : store_(store) {}
  void write_loop();
  void read_loop(StoreReader& reader);
  bool nothing_waits();
  // `batch` has runs that begin or end: in a burst of such (turn_pace.h) lets more come, and takes that too.
  void wait_for_turn(std::vector<PendingWrite>& batch);
  // Commits `batch`; returns the appends that the disk refused, to be tried again.
  std::vector<PendingWrite> commit(std::vector<PendingWrite> batch);

  RunStore& store_;
  std::atomic<bool> healthy_{true};
  StoreCounters counters_;
  // The writer's:
  TurnPace turn_pace_;
  std::vector<Write> writes_;

  Mutex write_mutex_;
  Condition write_wake_;
  std::vector<PendingWrite> pending_ GUARDED_BY(write_mutex_);
  bool write_stop_ GUARDED_BY(write_mutex_) = false;

  Mutex read_mutex_;
  Condition read_wake_;
  std::deque<UniqueFunction<void(StoreReader&)>> queries_ GUARDED_BY(read_mutex_);
  bool read_stop_ GUARDED_BY(read_mutex_) = false;

  std::vector<std::unique_ptr<StoreReader>> readers_;
  std::vector<std::thread> threads_;
};

}  // namespace braidlog
