#include "runlog/store_counters.h"

#include <algorithm>

namespace braidlog {

namespace {

struct Count {
  std::uint64_t events = 0;
  std::optional<RunStatus> ended{};
};

Count count_of(const Write& write, const WriteOutcome& outcome) {
  if (const auto* append = std::get_if<Append>(&write)) {
    return {append->record_count, append->sealed ? std::optional(append->effects->status) : std::nullopt};
  }
  const auto* run = std::get_if<LazyBox<NewRun>>(&write);
  if (run == nullptr || outcome.existing_run) return {};
  if (outcome.waits) return {1};
  const RunStatus status = (*run)->effects.status;
  return {(*run)->record_count, is_over(status) ? std::optional(status) : std::nullopt};
}

}  // namespace

void StoreCounters::note(std::span<const Write> writes, std::span<const Result<WriteOutcome>> results,
                         std::chrono::microseconds time) {
  std::uint64_t events = 0;
  bool is_refused = !results.empty();
  for (std::size_t i = 0; i < results.size(); ++i) {
    is_refused = is_refused && !results[i] && results[i].error().code == ErrorCode::kStorage;
    if (!results[i]) continue;
    const Count written = count_of(writes[i], *results[i]);
    events += written.events;
    if (written.ended) note_end(*written.ended);
  }
  if (is_refused) return;
  const auto us = static_cast<std::uint64_t>(time.count());
  events_.fetch_add(events, std::memory_order_relaxed);
  commits_.fetch_add(1, std::memory_order_relaxed);
  commit_us_.fetch_add(us, std::memory_order_relaxed);
  const auto at = std::ranges::lower_bound(kBucketEnds, us) - kBucketEnds.begin();
  if (const auto index = static_cast<std::size_t>(at); index < buckets_.size()) {
    buckets_[index].fetch_add(1, std::memory_order_relaxed);
  }
}

void StoreCounters::note_end(RunStatus status) {
  if (status == RunStatus::kCompleted) completed_.fetch_add(1, std::memory_order_relaxed);
  if (status == RunStatus::kFailed) failed_.fetch_add(1, std::memory_order_relaxed);
  if (status == RunStatus::kInterrupted) interrupted_.fetch_add(1, std::memory_order_relaxed);
}

api::StoreFigures StoreCounters::figures() const {
  const auto value = [](const Counter& counter) { return counter.load(std::memory_order_relaxed); };
  api::StoreFigures now;
  now.commits_total = value(commits_);
  now.events_total = value(events_);
  now.runs_completed_total = value(completed_);
  now.runs_failed_total = value(failed_);
  now.runs_interrupted_total = value(interrupted_);
  now.commit_us_total = value(commit_us_);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    count += value(buckets_[i]);
    now.commit_buckets.push_back({kBucketEnds[i], count});
  }
  return now;
}

}  // namespace braidlog
