#include "runlog/store_threads.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/log.h"

namespace braidlog {

namespace {

constexpr std::chrono::milliseconds kRetryInterval{250};
constexpr std::chrono::milliseconds kTidyInterval{500};

// A run begins or ends.
bool is_turn(const Write& write) {
  const auto* append = std::get_if<Append>(&write);
  return append ? append->sealed.has_value() : std::holds_alternative<LazyBox<NewRun>>(write);
}

// A thread that is woken does not push others off their core from here on. Where cores are short an io thread thus ends
// its round first, and all that it had to write is one commit instead of several; where there are enough nothing
// changes.
void yield_to_others() {
  const sched_param none{};
  (void)pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
}

}  // namespace

void submit_one(StoreAccess& store, Write write, Loop& back, UniqueFunction<void(Result<WriteOutcome>)> done) {
  std::vector<Write> writes;
  writes.push_back(std::move(write));
  store.submit(std::move(writes), back,
               [done = std::move(done)](Written written) mutable { done(std::move(written.outcomes.front())); });
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

void StoreThreads::submit(std::vector<Write> writes, Loop& back, Done done) {
  BRAIDLOG_CHECK(!writes.empty());
  BRAIDLOG_CHECK(std::holds_alternative<Append>(writes.front()) == std::holds_alternative<Append>(writes.back()));
  {
    MutexLock lock(write_mutex_);
    pending_.push_back({std::move(writes), &back, std::move(done)});
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
  std::vector<Batch> refused;
  auto tidiness = RunStore::Tidiness::kTidy;
  auto tidied_at = std::chrono::steady_clock::now();
  for (;;) {
    std::vector<Batch> batches = std::exchange(refused, {});
    bool stopping = false;
    {
      MutexLock lock(write_mutex_);
      const bool at_rest = batches.empty() && tidiness == RunStore::Tidiness::kTidy;
      const bool hurry = batches.empty() && tidiness == RunStore::Tidiness::kMore;
      const std::chrono::milliseconds timeout = at_rest ? std::chrono::hours(1) : kRetryInterval;
      if (pending_.empty() && !write_stop_ && !hurry) write_wake_.wait_for(write_mutex_, timeout);
      std::ranges::move(std::exchange(pending_, {}), std::back_inserter(batches));
      stopping = write_stop_;
    }
    const auto has_turns = [](const Batch& batch) { return std::ranges::any_of(batch.writes, is_turn); };
    if (!stopping && std::ranges::any_of(batches, has_turns)) wait_for_turn(batches);
    if (!batches.empty()) refused = commit(std::move(batches));
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

void StoreThreads::wait_for_turn(std::vector<Batch>& batches) {
  const auto now = std::chrono::steady_clock::now();
  const auto begin = turn_pace_.next(now);
  if (begin == now) return;
  std::this_thread::sleep_until(begin);
  MutexLock lock(write_mutex_);
  std::ranges::move(std::exchange(pending_, {}), std::back_inserter(batches));
}

bool StoreThreads::nothing_waits() {
  MutexLock lock(write_mutex_);
  return pending_.empty();
}

std::vector<StoreThreads::Batch> StoreThreads::commit(std::vector<Batch> batches) {
  // Mostly there is one. The writes of several are moved together, and apart again.
  const bool is_one = batches.size() == 1;
  std::vector<Write> together;
  if (!is_one) {
    for (Batch& batch : batches) std::ranges::move(batch.writes, std::back_inserter(together));
  }
  auto outcomes = commit(is_one ? batches.front().writes : together);
  if (!is_one) {
    auto write = together.begin();
    for (Batch& batch : batches) {
      for (Write& own : batch.writes) own = std::move(*write++);
    }
  }

  const bool is_refused = note_health(outcomes.front());
  std::vector<Batch> refused;
  auto outcome = std::make_move_iterator(outcomes.begin());
  for (Batch& batch : batches) {
    const auto count = std::ssize(batch.writes);
    if (is_refused && std::holds_alternative<Append>(batch.writes.front())) {
      refused.push_back(std::move(batch));
    } else {
      batch.back->post([done = std::move(batch.done),
                        written = Written{std::move(batch.writes), {outcome, outcome + count}}]() mutable {
        done(std::move(written));
      });
    }
    outcome += count;
  }
  return refused;
}

std::vector<Result<WriteOutcome>> StoreThreads::commit(const std::vector<Write>& writes) {
  const auto begun_at = std::chrono::steady_clock::now();
  auto outcomes = store_.commit(writes);
  const auto time = std::chrono::steady_clock::now() - begun_at;
  counters_.note(writes, outcomes, std::chrono::duration_cast<std::chrono::microseconds>(time));
  return outcomes;
}

// The disk refuses a commit as a whole or not at all.
bool StoreThreads::note_health(const Result<WriteOutcome>& first) {
  const bool is_refused = !first && first.error().code == ErrorCode::kStorage;
  if (is_refused && healthy_.exchange(false)) {
    log_error("the store refuses to write; events wait in memory", {{"error", first.error().message}});
  }
  if (!is_refused && !healthy_.exchange(true)) log_info("the store writes again");
  return is_refused;
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
