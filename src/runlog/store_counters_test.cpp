#include "runlog/store_counters.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace braidlog {
namespace {

using std::chrono::microseconds;

Append append(std::uint32_t records, std::optional<RunStatus> end = std::nullopt) {
  Append write;
  write.record_count = records;
  if (end) {
    write.effects.touch().status = *end;
    write.sealed = "all";
  }
  return write;
}

TEST(StoreCounters, CountsWhatWasWritten) {
  StoreCounters counters;
  NewRun run, failed, again, waits;
  run.record_count = 3;
  failed.record_count = 4;
  failed.effects.status = RunStatus::kFailed;
  again.record_count = 5;
  waits.record_count = 6;
  const std::vector<Write> writes{run,
                                  failed,
                                  again,
                                  waits,
                                  append(7),
                                  append(1, RunStatus::kCompleted),
                                  append(1, RunStatus::kInterrupted),
                                  append(9),
                                  NewSession{}};
  std::vector<Result<WriteOutcome>> results(writes.size(), WriteOutcome{});
  results[2]->existing_run = RunId{};
  results[3]->waits = true;
  results[7] = fail(ErrorCode::kFenced, "not ours");
  counters.note(writes, results, microseconds(120));
  const auto now = counters.figures();
  EXPECT_EQ(now.events_total, 3u + 4 + 1 + 7 + 1 + 1);
  EXPECT_EQ(now.commits_total, 1u);
  EXPECT_EQ(now.commit_us_total, 120u);
  EXPECT_EQ(now.runs_completed_total, 1u);
  EXPECT_EQ(now.runs_failed_total, 1u);
  EXPECT_EQ(now.runs_interrupted_total, 1u);
}

TEST(StoreCounters, CommitsByTheirTime) {
  StoreCounters counters;
  const std::vector<Write> writes{append(1)};
  const std::vector<Result<WriteOutcome>> results{WriteOutcome{}};
  for (const int us : {99, 100, 101, 250, 1'000'000, 1'000'001}) counters.note(writes, results, microseconds(us));
  const auto now = counters.figures();
  EXPECT_EQ(now.commits_total, 6u);
  ASSERT_EQ(now.commit_buckets.size(), StoreCounters::kBucketEnds.size());
  EXPECT_EQ(now.commit_buckets[0].us, 100u);
  EXPECT_EQ(now.commit_buckets[0].count, 2u);
  EXPECT_EQ(now.commit_buckets[1].count, 4u);
  EXPECT_EQ(now.commit_buckets[2].count, 4u) << "each counts those before it";
  EXPECT_EQ(now.commit_buckets.back().us, 1'000'000u);
  EXPECT_EQ(now.commit_buckets.back().count, 5u) << "one took longer than any bucket";
}

TEST(StoreCounters, WhatTheDiskRefusesIsNoCommit) {
  StoreCounters counters;
  const std::vector<Write> writes{append(1), append(1)};
  const std::vector<Result<WriteOutcome>> results{fail(ErrorCode::kStorage, "full"), fail(ErrorCode::kStorage, "full")};
  counters.note(writes, results, microseconds(5));
  EXPECT_EQ(counters.figures().commits_total, 0u);
  EXPECT_EQ(counters.figures().events_total, 0u);
}

}  // namespace
}  // namespace braidlog
