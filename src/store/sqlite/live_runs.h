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
  // The position of the session's next message, once this run has written one: while it is at work nobody else does.
  std::optional<std::uint64_t> next_position{};
  std::optional<WallTime> session_used_at{};  // when this run last said so
};

// The unfinished runs of a session.
struct SessionTurns {
  std::optional<RunId> at_work;
  std::optional<RunId> first_waiting, last_waiting;  // in the order of their ids
  std::uint64_t waiting_count = 0;
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
  SessionTurns turns_of(SessionId session_id) const {
    SessionTurns turns;
    const auto [first, last] = of_session_.equal_range(session_id);
    for (auto entry = first; entry != last; ++entry) {
      const RunId id = entry->second;
      if (runs_.at(id).columns.status != RunStatus::kQueued) {
        turns.at_work = id;
        continue;
      }
      ++turns.waiting_count;
      if (!turns.first_waiting || id < *turns.first_waiting) turns.first_waiting = id;
      if (!turns.last_waiting || id > *turns.last_waiting) turns.last_waiting = id;
    }
    return turns;
  }
  // Adds or replaces. A run stays in its session.
  void put(RunId id, LiveRun run) {
    note(id);
    set(id, std::move(run));
  }
  void erase(RunId id) {
    note(id);
    remove(id);
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
        case Change::Kind::kReplaced: set(change->id, std::move(*change->before)); break;
        case Change::Kind::kAdded: remove(change->id); break;
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

  void set(RunId id, LiveRun run) {
    const SessionId session_id = run.session_id;
    if (runs_.insert_or_assign(id, std::move(run)).second) of_session_.emplace(session_id, id);
  }
  void remove(RunId id) {
    const auto run = runs_.find(id);
    if (run == runs_.end()) return;
    auto [entry, last] = of_session_.equal_range(run->second.session_id);
    while (entry != last && entry->second != id) ++entry;
    if (entry != last) of_session_.erase(entry);
    runs_.erase(run);
  }

  std::unordered_map<RunId, LiveRun> runs_;
  std::unordered_multimap<SessionId, RunId> of_session_;
  std::vector<Change> changes_;
};

}  // namespace braidlog::store
