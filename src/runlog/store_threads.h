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

  void submit(std::vector<Write> writes, Loop& back, Done done) override;
  void read(UniqueFunction<void(StoreReader&)> query) override;
  bool healthy() const override { return healthy_.load(std::memory_order_relaxed); }
  const StoreCounters& counters() const { return counters_; }

 private:
  // What was submitted together.
  struct Batch {
    std::vector<Write> writes;
    Loop* back = nullptr;
    Done done;
  };

  explicit StoreThreads(RunStore& store) : store_(store) {}
  void write_loop();
  void read_loop(StoreReader& reader);
  bool nothing_waits();
  // `batches` have runs that begin or end: in a burst of such (turn_pace.h) lets more come, and takes that too.
  void wait_for_turn(std::vector<Batch>& batches);
  // Commits them all at once; returns the appends that the disk refused, to be tried again.
  std::vector<Batch> commit(std::vector<Batch> batches);
  std::vector<Result<WriteOutcome>> commit(const std::vector<Write>& writes);
  // Says so when the disk refuses what it took before, or takes it again. True when it refuses.
  bool note_health(const Result<WriteOutcome>& first);

  RunStore& store_;
  std::atomic<bool> healthy_{true};
  StoreCounters counters_;
  TurnPace turn_pace_;  // the writer's

  Mutex write_mutex_;
  Condition write_wake_;
  std::vector<Batch> pending_ GUARDED_BY(write_mutex_);
  bool write_stop_ GUARDED_BY(write_mutex_) = false;

  Mutex read_mutex_;
  Condition read_wake_;
  std::deque<UniqueFunction<void(StoreReader&)>> queries_ GUARDED_BY(read_mutex_);
  bool read_stop_ GUARDED_BY(read_mutex_) = false;

  std::vector<std::unique_ptr<StoreReader>> readers_;
  std::vector<std::thread> threads_;
};

}  // namespace braidlog
