#include "store_queue.h"

#include <algorithm>
#include <iterator>

namespace braidlog::sim {

namespace {

constexpr std::size_t kReaders = 2;

}  // namespace

void StoreQueue::drop() {
  for (auto* batches : {&pending_, &taken_, &untold_}) batches->clear();
  queries_.clear();
  answers_.clear();
}

void StoreQueue::write_step() {
  if (!untold_.empty()) return tell();
  if (is_committed_) sort_out();
  if (!untold_.empty()) return tell();
  if (is_taken_) return commit();
  // What the disk refused stands first, then what came in meanwhile.
  std::ranges::move(std::exchange(pending_, {}), std::back_inserter(taken_));
  is_taken_ = true;
}

void StoreQueue::commit() {
  std::vector<Write> writes;
  for (Batch& batch : taken_) std::ranges::move(batch.written.writes, std::back_inserter(writes));
  auto outcomes = store_.commit(writes);
  auto write = writes.begin();
  auto outcome = std::make_move_iterator(outcomes.begin());
  for (Batch& batch : taken_) {
    const auto count = std::ssize(batch.written.writes);
    std::move(write, write + count, batch.written.writes.begin());
    batch.written.outcomes.assign(outcome, outcome + count);
    write += count;
    outcome += count;
  }
  is_committed_ = true;
}

// Appends that the disk refused stay; every other write that it refused has failed.
void StoreQueue::sort_out() {
  std::vector<Batch> refused;
  for (Batch& batch : taken_) {
    const auto& first = batch.written.outcomes.front();
    const bool disk_refused = !first && first.error().code == ErrorCode::kStorage;
    const bool stays = disk_refused && std::holds_alternative<Append>(batch.written.writes.front());
    (stays ? refused : untold_).push_back(std::move(batch));
  }
  taken_ = std::move(refused);
  is_taken_ = is_committed_ = false;
}

// A loop that was told may act before the next one is.
void StoreQueue::tell() {
  const Loop* const back = untold_[world_.random.below(untold_.size())].back;
  const auto first = std::ranges::find(untold_, back, &Batch::back);
  Batch batch = std::move(*first);
  untold_.erase(first);
  Loop& loop = *batch.back;
  loop.post([done = std::move(batch.done), written = std::move(batch.written)]() mutable { done(std::move(written)); });
}

// Two readers are at work: the second query may be answered before the first.
void StoreQueue::read_step() {
  const bool may_ask = !queries_.empty() && answers_.size() < kReaders;
  if (may_ask && (answers_.empty() || world_.random.percent(50))) return ask();
  const auto which = static_cast<std::ptrdiff_t>(world_.random.below(answers_.size()));
  auto answer = std::move(answers_[static_cast<std::size_t>(which)]);
  answers_.erase(answers_.begin() + which);
  answer.loop->post(std::move(answer.task));
}

void StoreQueue::ask() {
  const std::size_t which = queries_.size() > 1 ? world_.random.below(2) : 0;
  auto query = std::move(queries_[which]);
  queries_.erase(queries_.begin() + static_cast<std::ptrdiff_t>(which));
  for (SimLoop* loop : loops_) loop->hold(&answers_);
  query(*reader_);
  for (SimLoop* loop : loops_) loop->hold(nullptr);
}

}  // namespace braidlog::sim
