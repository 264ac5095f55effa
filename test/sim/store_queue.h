// The store's threads, taken apart into steps: what runlog/store_threads.cpp does on a writer and two readers, done one
// move at a time when the schedule says so. Between two moves anything may happen, a crash included:
//
//   taken      the writer has a batch, nothing is durable
//   committed  it is durable, and no loop knows
//   (told)     one batch after the other is back at its loop, those of a loop in their order
//
//   read       a reader has its answer, of that very moment
//   (told)     and its loop has it
#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "runlog/store_access.h"
#include "sim_loop.h"
#include "sim_store.h"

namespace braidlog::sim {

class StoreQueue final : public StoreAccess {
 public:
  StoreQueue(World& world, RunStore& store) : world_(world), store_(store), reader_(std::move(*store.open_reader())) {}
  // Whose answers are held back between the two steps of a read.
  void serve(SimLoop& loop) { loops_.push_back(&loop); }

  void submit(std::vector<Write> writes, Loop& back, Done done) override {
    pending_.push_back({{std::move(writes), {}}, &back, std::move(done)});
  }
  void read(UniqueFunction<void(StoreReader&)> query) override { queries_.push_back(std::move(query)); }
  bool healthy() const override { return !world_.disk_refuses; }

  bool can_write() const { return !pending_.empty() || !taken_.empty() || !untold_.empty(); }
  bool can_read() const { return !queries_.empty() || !answers_.empty(); }
  // The process ends: nobody will hear of it.
  void drop();
  void write_step();
  void read_step();

 private:
  // What was submitted together.
  struct Batch {
    Written written;
    Loop* back = nullptr;
    Done done;
  };
  void commit();
  void sort_out();
  void tell();
  void ask();

  World& world_;
  RunStore& store_;
  std::unique_ptr<StoreReader> reader_;
  std::vector<Batch> pending_;
  std::deque<UniqueFunction<void(StoreReader&)>> queries_;
  std::vector<SimLoop*> loops_;
  std::vector<HeldPost> answers_;  // at most one for each reader

  std::vector<Batch> taken_;
  bool is_taken_ = false, is_committed_ = false;
  std::vector<Batch> untold_;
};

}  // namespace braidlog::sim
