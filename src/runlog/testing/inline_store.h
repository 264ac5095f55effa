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

  void submit(std::vector<PendingWrite> writes) override {
    ++submits;
    loop_.post([this, writes = std::move(writes)]() mutable {
      if (held) {
        waiting_.push_back(std::move(writes));
        return;
      }
      commit(std::move(writes));
    });
  }
  void read(UniqueFunction<void(StoreReader&)> query) override {
    ++reads;
    loop_.post([this, query = std::move(query)]() mutable { query(*reader_); });
  }
  bool healthy() const override { return true; }

  void release() {
    held = false;
    for (auto& writes : std::exchange(waiting_, {})) commit(std::move(writes));
  }

  bool held = false;  // commits wait until release()
  int submits = 0, reads = 0;

 private:
  void commit(std::vector<PendingWrite> pending) {
    std::vector<Write> writes;
    for (auto& item : pending) writes.push_back(std::move(item.write));
    auto results = store_.commit(writes);
    for (std::size_t i = 0; i < pending.size(); ++i) {
      pending[i].back->post(
          [done = std::move(pending[i].done), result = std::move(results[i])]() mutable { done(std::move(result)); });
    }
  }

  RunStore& store_;
  Loop& loop_;
  std::unique_ptr<StoreReader> reader_;
  std::vector<std::vector<PendingWrite>> waiting_;
};

}  // namespace braidlog::testing
