// The way from an io thread to the store and back. The store blocks; whoever asks does not. Writes that come
// in while a commit runs go together into the next one (group commit without waiting), and one message per io
// thread brings the outcomes of a commit back, whatever the number of runs in it.
#pragma once

#include <utility>
#include <vector>

#include "base/loop.h"
#include "base/unique_function.h"
#include "port/run_store.h"

namespace braidlog {

struct PendingWrite {
  Write write;
  Loop* back = nullptr;  // where `done` runs
  UniqueFunction<void(Result<WriteOutcome>)> done;
};

class StoreAccess {
 public:
  virtual ~StoreAccess() = default;

  // In the order given, after everything submitted before by the same thread; `done` of each runs on its
  // `back` loop after the commit. An Append is kept and tried again while the disk refuses it (nobody sees
  // its events before); every other write then fails with kStorage. From any thread.
  virtual void submit(std::vector<PendingWrite> writes) = 0;

  // Runs `query` on a reader's thread. From any thread.
  virtual void read(UniqueFunction<void(StoreReader&)> query) = 0;

  // False while the disk refuses writes.
  virtual bool healthy() const = 0;
};

void submit_one(StoreAccess& store, Write write, Loop& back, UniqueFunction<void(Result<WriteOutcome>)> done);

// Asks a reader and brings the result back: `query(StoreReader&)` gives a Result<T>, `done(Result<T>)` runs
// on `back`.
template <class Query, class Done>
void read_then(StoreAccess& store, Loop& back, Query query, Done done) {
  store.read([&back, query = std::move(query), done = std::move(done)](StoreReader& reader) mutable {
    back.post([result = query(reader), done = std::move(done)]() mutable { done(std::move(result)); });
  });
}

}  // namespace braidlog
