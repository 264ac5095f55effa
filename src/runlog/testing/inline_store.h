// StoreAccess without threads: a write is committed, and a read answered, by a task on the given loop. Tests step it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "runlog/store_access.h"

namespace braidlog::testing {

class InlineStore final : public StoreAccess {
 public:
  InlineStore(RunStore& store, Loop& loop) : store_(store), loop_(loop) {
    auto reader = store.open_reader();
    BRAIDLOG_CHECK(reader.has_value());
    reader_ = std::move(*reader);
  }

  void submit(std::vector<Write> writes, Loop& back, Done done) override {
    ++submits;
    loop_.post([this, pending = Pending{std::move(writes), &back, std::move(done)}]() mutable {
      if (held) {
        waiting_.push_back(std::move(pending));
      } else {
        commit(std::move(pending));
      }
    });
  }
  void read(UniqueFunction<void(StoreReader&)> query) override {
    ++reads;
    loop_.post([this, query = std::move(query)]() mutable {
      if (holds_reads) {
        reads_waiting_.push_back(std::move(query));
      } else {
        query(*reader_);
      }
    });
  }
  bool healthy() const override { return true; }

  void release() {
    held = false;
    for (auto& pending : std::exchange(waiting_, {})) commit(std::move(pending));
  }

  void release_reads() {
    holds_reads = false;
    for (auto& query : std::exchange(reads_waiting_, {})) query(*reader_);
  }

  bool held = false;         // commits wait until release()
  bool holds_reads = false;  // until release_reads()
  int submits = 0, reads = 0;

 private:
  struct Pending {
    std::vector<Write> writes;
    Loop* back;
    Done done;
  };
  void commit(Pending pending) {
    auto outcomes = store_.commit(pending.writes);
    pending.back->post(
        [done = std::move(pending.done), written = Written{std::move(pending.writes), std::move(outcomes)}]() mutable {
          done(std::move(written));
        });
  }

  RunStore& store_;
  Loop& loop_;
  std::unique_ptr<StoreReader> reader_;
  std::vector<Pending> waiting_;
  std::vector<UniqueFunction<void(StoreReader&)>> reads_waiting_;
};

}  // namespace braidlog::testing
