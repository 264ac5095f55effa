// What was written, counted once per commit. Written by the store's writer alone; read from any thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>

#include "port/run_store.h"
#include "port/server_status.h"

namespace braidlog {

class StoreCounters {
 public:
  // One commit, with what became of its writes. A commit that the disk refused as a whole is none.
  void note(std::span<const Write> writes, std::span<const Result<WriteOutcome>> results,
            std::chrono::microseconds time);

  // Each figure is true; together they may be of two commits.
  api::StoreFigures figures() const;

  // Upper ends of the buckets, in microseconds. What takes longer is in none of them.
  static constexpr std::array<std::uint64_t, 13> kBucketEnds{
      100, 250, 500, 1'000, 2'500, 5'000, 10'000, 25'000, 50'000, 100'000, 250'000, 500'000, 1'000'000};

 private:
  using Counter = std::atomic<std::uint64_t>;
  void note_end(RunStatus status);

  Counter commits_{0}, events_{0}, commit_us_{0}, completed_{0}, failed_{0}, interrupted_{0};
  std::array<Counter, kBucketEnds.size()> buckets_{};
};

}  // namespace braidlog
