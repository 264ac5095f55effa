// The way from an io thread to the store and back. The store blocks; whoever asks does not. Writes that come
// in while a commit runs go together into the next one (group commit without waiting), and what was submitted together
// comes back in one message, whatever the number of runs in it.
#pragma once

#include <utility>
#include <vector>

#include "base/loop.h"
#include "base/unique_function.h"
#include "port/run_store.h"

namespace braidlog {

// Writes that were submitted together, and what became of each, at its place. They come back whole: who writes all the
// time can use their memory again.
struct Written {
  std::vector<Write> writes;
  std::vector<Result<WriteOutcome>> outcomes;
};

class StoreAccess {
 public:
  virtual ~StoreAccess() = default;

  // Writes them in the order given, in one commit, after everything submitted before by the same thread; `done` runs on
  // `back` after the commit. Appends are kept and tried again while the disk refuses them (nobody sees their events
  // before); every other write then fails with kStorage, so the two are not submitted together. From any thread.
  using Done = UniqueFunction<void(Written)>;
  virtual void submit(std::vector<Write> writes, Loop& back, Done done) = 0;

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
