// What the writer remembers of every unfinished run, so that an append is checked without asking the
// database. One process writes, so memory and the tables can only differ inside a transaction: changes are
// noted, and undo() takes them back when the transaction fails.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/run.h"

namespace braidlog::store {

// The columns of a run's row that an append may change.
struct RunColumns {
  RunStatus status = RunStatus::kQueued;
  std::optional<WallTime> started_at, ended_at;
  std::optional<FailureCode> failure;
  std::string failure_message;
  std::optional<Usage> usage;
  bool operator==(const RunColumns&) const = default;
};

struct LiveRun {
  SessionId session_id;
  std::uint64_t epoch = 0;
  Sequence last;
  RunColumns columns;     // as they stand in the table
  bool may_wait = false;  // it may have orders or approvals in their tables
};

class LiveRuns {
 public:
  const LiveRun* find(RunId id) const {
    const auto found = runs_.find(id);
    return found == runs_.end() ? nullptr : &found->second;
  }
  LiveRun* find(RunId id) {
    const auto found = runs_.find(id);
    return found == runs_.end() ? nullptr : &found->second;
  }
  // Adds or replaces.
  void put(RunId id, LiveRun run) {
    note(id);
    runs_.insert_or_assign(id, std::move(run));
  }
  void erase(RunId id) {
    note(id);
    runs_.erase(id);
  }
  // The run has `count` more events and is otherwise as it was: the common case, without a copy or a second look-up.
  void advance(RunId id, LiveRun& run, std::uint32_t count) {
    changes_.push_back({.kind = Change::Kind::kAdvanced, .id = id, .last = run.last});
    run.last.value += count;
  }

  // The transaction is durable: what was noted stays.
  void keep() { changes_.clear(); }
  // The transaction failed: back to the last keep().
  void undo() {
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
      switch (change->kind) {
        case Change::Kind::kAdvanced: runs_.at(change->id).last = change->last; break;
        case Change::Kind::kReplaced: runs_.insert_or_assign(change->id, std::move(*change->before)); break;
        case Change::Kind::kAdded: runs_.erase(change->id); break;
      }
    }
    changes_.clear();
  }

  auto begin() const { return runs_.begin(); }
  auto end() const { return runs_.end(); }

 private:
  struct Change {
    enum class Kind { kAdvanced, kReplaced, kAdded };
    Kind kind = Kind::kAdvanced;
    RunId id;
    Sequence last{};
    std::unique_ptr<LiveRun> before{};
  };

  void note(RunId id) {
    const LiveRun* run = find(id);
    changes_.push_back({.kind = run ? Change::Kind::kReplaced : Change::Kind::kAdded,
                        .id = id,
                        .before = run ? std::make_unique<LiveRun>(*run) : nullptr});
  }

  std::unordered_map<RunId, LiveRun> runs_;
  std::vector<Change> changes_;
};

}  // namespace braidlog::store
