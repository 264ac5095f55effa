#include "store_queue.h"

#include <map>

namespace braidlog::sim {

namespace {

constexpr std::size_t kReaders = 2;

}  // namespace

void StoreQueue::write_step() {
  if (!untold_.empty()) return tell();
  if (!outcomes_.empty()) sort_out();
  if (!untold_.empty()) return tell();
  if (is_taken_) return commit();
  // What the disk refused stands first, then what came in meanwhile.
  for (auto& write : pending_) batch_.push_back(std::move(write));
  pending_.clear();
  is_taken_ = true;
}

void StoreQueue::commit() {
  std::vector<Write> writes;
  for (auto& item : batch_) writes.push_back(std::move(item.write));
  outcomes_ = store_.commit(writes);
  for (std::size_t i = 0; i < batch_.size(); ++i) batch_[i].write = std::move(writes[i]);
}

// One message per loop. Appends that the disk refused stay; every other write that it refused has failed.
void StoreQueue::sort_out() {
  std::map<unsigned, Message> messages;
  std::vector<PendingWrite> refused;
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const bool disk_refused = !outcomes_[i] && outcomes_[i].error().code == ErrorCode::kStorage;
    if (disk_refused && std::holds_alternative<Append>(batch_[i].write)) {
      refused.push_back(std::move(batch_[i]));
      continue;
    }
    Message& message = messages[batch_[i].back->index()];
    message.loop = batch_[i].back;
    message.items.emplace_back(std::move(batch_[i].done), std::move(outcomes_[i]));
  }
  for (auto& [index, message] : messages) untold_.push_back(std::move(message));
  batch_ = std::move(refused);
  outcomes_.clear();
  is_taken_ = false;
}

// A loop that was told may act before the next one is.
void StoreQueue::tell() {
  const auto which = static_cast<std::ptrdiff_t>(world_.random.below(untold_.size()));
  Message message = std::move(untold_[static_cast<std::size_t>(which)]);
  untold_.erase(untold_.begin() + which);
  message.loop->post([items = std::move(message.items)]() mutable {
    for (auto& [done, result] : items) done(std::move(result));
  });
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
