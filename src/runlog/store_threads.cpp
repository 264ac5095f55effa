#include "runlog/store_threads.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/log.h"

namespace braidlog {

namespace {

constexpr std::chrono::milliseconds kRetryInterval{250};
constexpr std::chrono::milliseconds kTidyInterval{500};
constexpr std::size_t kWritesKeptMax = 10'000;

// Writes are large, and mostly there is nothing to add to.
void add(std::vector<PendingWrite>& to, std::vector<PendingWrite> more) {
  if (to.empty()) {
    to = std::move(more);
  } else {
    for (auto& write : more) to.push_back(std::move(write));
  }
}

// A run begins or ends.
bool is_turn(const PendingWrite& pending) {
  const auto* append = std::get_if<Append>(&pending.write);
  return append ? append->sealed.has_value() : std::holds_alternative<Boxed<NewRun>>(pending.write);
}

// A thread that is woken does not push others off their core from here on. Where cores are short an io thread thus ends
// its round first, and all that it had to write is one commit instead of several; where there are enough nothing
// changes.
void yield_to_others() {
  const sched_param none{};
  (void)pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
}

// Outcomes of one commit for one loop: they travel in one post.
struct Outcomes {
  std::vector<std::pair<UniqueFunction<void(Result<WriteOutcome>)>, Result<WriteOutcome>>> items;
  void run() {
    for (auto& [done, result] : items) done(std::move(result));
  }
};

}  // namespace

void submit_one(StoreAccess& store, Write write, Loop& back, UniqueFunction<void(Result<WriteOutcome>)> done) {
  std::vector<PendingWrite> writes;
  writes.push_back({std::move(write), &back, std::move(done)});
  store.submit(std::move(writes));
}

Result<std::unique_ptr<StoreThreads>> StoreThreads::start(RunStore& store, unsigned reader_count) {
  std::unique_ptr<StoreThreads> threads(new StoreThreads(store));
  for (unsigned i = 0; i < reader_count; ++i) {
    auto reader = store.open_reader();
    if (!reader) return fail(reader.error());
    threads->readers_.push_back(std::move(*reader));
  }
  auto* self = threads.get();
  self->threads_.emplace_back([self] {
    pthread_setname_np(pthread_self(), "store-writer");
    yield_to_others();
    self->write_loop();
  });
  for (auto& reader : self->readers_) {
    self->threads_.emplace_back([self, r = reader.get()] {
      pthread_setname_np(pthread_self(), "store-reader");
      self->read_loop(*r);
    });
  }
  return threads;
}

StoreThreads::~StoreThreads() {
  {
    MutexLock lock(write_mutex_);
    write_stop_ = true;
  }
  {
    MutexLock lock(read_mutex_);
    read_stop_ = true;
  }
  write_wake_.notify_all();
  read_wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void StoreThreads::submit(std::vector<PendingWrite> writes) {
  {
    MutexLock lock(write_mutex_);
    add(pending_, std::move(writes));
  }
  write_wake_.notify_one();
}

void StoreThreads::read(UniqueFunction<void(StoreReader&)> query) {
  {
    MutexLock lock(read_mutex_);
    queries_.push_back(std::move(query));
  }
  read_wake_.notify_one();
}

void StoreThreads::write_loop() {
  std::vector<PendingWrite> refused;
  auto tidiness = RunStore::Tidiness::kTidy;
  auto tidied_at = std::chrono::steady_clock::now();
  for (;;) {
    std::vector<PendingWrite> batch = std::move(refused);
    refused.clear();
    bool stopping = false;
    {
      MutexLock lock(write_mutex_);
      const bool at_rest = batch.empty() && tidiness == RunStore::Tidiness::kTidy;
      const bool hurry = batch.empty() && tidiness == RunStore::Tidiness::kMore;
      const std::chrono::milliseconds timeout = at_rest ? std::chrono::hours(1) : kRetryInterval;
      if (pending_.empty() && !write_stop_ && !hurry) write_wake_.wait_for(write_mutex_, timeout);
      add(batch, std::exchange(pending_, {}));
      stopping = write_stop_;
    }
    if (!stopping && std::ranges::any_of(batch, is_turn)) wait_for_turn(batch);
    if (!batch.empty()) refused = commit(std::move(batch));
    // Deletions are cleared when nobody waits; under a load without a pause now and then all the same.
    const auto now = std::chrono::steady_clock::now();
    if (refused.empty() && (nothing_waits() || now - tidied_at > kTidyInterval)) {
      tidiness = store_.tidy();
      tidied_at = now;
    }
    // What the disk refuses at the very end is lost with the process, and nobody has seen it.
    if (stopping) return;
  }
}

void StoreThreads::wait_for_turn(std::vector<PendingWrite>& batch) {
  const auto now = std::chrono::steady_clock::now();
  const auto begin = turn_pace_.next(now);
  if (begin == now) return;
  std::this_thread::sleep_until(begin);
  MutexLock lock(write_mutex_);
  add(batch, std::exchange(pending_, {}));
}

bool StoreThreads::nothing_waits() {
  MutexLock lock(write_mutex_);
  return pending_.empty();
}

std::vector<PendingWrite> StoreThreads::commit(std::vector<PendingWrite> batch) {
  // Kept for its memory: with many runs it is large, and new pages for every commit would cost more than the writes.
  std::vector<Write> writes = std::exchange(writes_, {});
  for (auto& item : batch) writes.push_back(std::move(item.write));
  const auto begun_at = std::chrono::steady_clock::now();
  auto results = store_.commit(writes);
  const auto time = std::chrono::steady_clock::now() - begun_at;
  counters_.note(writes, results, std::chrono::duration_cast<std::chrono::microseconds>(time));
  std::vector<PendingWrite> refused;
  std::map<Loop*, Outcomes> outcomes;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const bool disk_refused = !results[i] && results[i].error().code == ErrorCode::kStorage;
    if (disk_refused && healthy_.exchange(false)) {
      log_error("the store refuses to write; events wait in memory", {{"error", results[i].error().message}});
    }
    if (!disk_refused && !healthy_.exchange(true)) log_info("the store writes again");
    if (disk_refused && std::holds_alternative<Append>(writes[i])) {
      batch[i].write = std::move(writes[i]);
      refused.push_back(std::move(batch[i]));
    } else {
      outcomes[batch[i].back].items.emplace_back(std::move(batch[i].done), std::move(results[i]));
    }
  }
  for (auto& [loop, items] : outcomes) {
    loop->post([items = std::move(items)]() mutable { items.run(); });
  }
  writes.clear();
  if (writes.capacity() <= kWritesKeptMax) writes_ = std::move(writes);
  return refused;
}

void StoreThreads::read_loop(StoreReader& reader) {
  for (;;) {
    UniqueFunction<void(StoreReader&)> query;
    {
      MutexLock lock(read_mutex_);
      while (queries_.empty() && !read_stop_) read_wake_.wait(read_mutex_);
      if (queries_.empty()) return;
      query = std::move(queries_.front());
      queries_.pop_front();
    }
    query(reader);
  }
}

}  // namespace braidlog
