// What the writer remembers of every unfinished run, so that an append is checked without asking the
// database. One process writes, so memory and the tables can only differ inside a transaction: changes are
// noted, and undo() takes them back when the transaction fails.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "api/run.h"
#include "base/overloaded.h"

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
  // What an append that only adds events looks at stands together, up to the status.
  SessionId session_id;
  std::uint64_t epoch = 0;
  Sequence last;
  std::int64_t first_row = 0;  // the journal's: no row before it holds anything of the run; 0: none at all does
  RunColumns columns;          // as they stand in the table
  bool may_wait = false;       // it may have orders or approvals in their tables
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
    return found == runs_.end() ? nullptr : found->second.get();
  }
  LiveRun* find(RunId id) {
    const auto found = runs_.find(id);
    return found == runs_.end() ? nullptr : found->second.get();
  }
  SessionTurns turns_of(SessionId session_id) const {
    SessionTurns turns;
    const auto [first, last] = of_session_.equal_range(session_id);
    for (auto entry = first; entry != last; ++entry) {
      const RunId id = entry->second;
      if (runs_.at(id)->columns.status != RunStatus::kQueued) {
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
    if (LiveRun* known = find(id)) {
      changes_.emplace_back(Replaced{known, std::make_unique<LiveRun>(std::move(*known))});
      *known = std::move(run);
    } else {
      changes_.emplace_back(Added{id});
      of_session_.emplace(run.session_id, id);
      runs_.emplace(id, std::make_unique<LiveRun>(std::move(run)));
    }
  }
  void erase(RunId id) {
    if (auto run = take(id)) changes_.emplace_back(Erased{id, std::move(run)});
  }
  // The run has `count` more events and is otherwise as it was: the common case, without a copy or a second look-up.
  void advance(LiveRun& run, std::uint32_t count) {
    changes_.emplace_back(Advanced{&run, run.last});
    run.last.value += count;
  }

  // The transaction is durable: what was noted stays.
  void keep() { changes_.clear(); }
  // The transaction failed: back to the last keep().
  void undo() {
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
      std::visit(
          Overloaded{[](Advanced& one) { one.run->last = one.last; },
                     [](Replaced& one) { *one.run = std::move(*one.before); }, [this](Added& one) { take(one.id); },
                     [this](Erased& one) {
                       of_session_.emplace(one.run->session_id, one.id);
                       runs_.emplace(one.id, std::move(one.run));
                     }},
          *change);
    }
    changes_.clear();
  }

  auto begin() const { return runs_.begin(); }
  auto end() const { return runs_.end(); }
  auto begin() { return runs_.begin(); }
  auto end() { return runs_.end(); }

 private:
  // Found with fewer cache misses than in std::unordered_map, which counts when a thousand runs take turns.
  using Runs = boost::unordered_flat_map<RunId, std::unique_ptr<LiveRun>, std::hash<RunId>>;

  // Runs do not move in memory, and one that was erased comes back where it was: an earlier change may point to it.
  struct Advanced {
    LiveRun* run;
    Sequence last;
  };
  struct Replaced {
    LiveRun* run;
    std::unique_ptr<LiveRun> before;
  };
  struct Added {
    RunId id;
  };
  struct Erased {
    RunId id;
    std::unique_ptr<LiveRun> run;
  };

  std::unique_ptr<LiveRun> take(RunId id) {
    const auto found = runs_.find(id);
    if (found == runs_.end()) return nullptr;
    std::unique_ptr<LiveRun> run = std::move(found->second);
    runs_.erase(found);
    auto [entry, last] = of_session_.equal_range(run->session_id);
    while (entry != last && entry->second != id) ++entry;
    if (entry != last) of_session_.erase(entry);
    return run;
  }

  Runs runs_;
  std::unordered_multimap<SessionId, RunId> of_session_;
  std::vector<std::variant<Advanced, Replaced, Added, Erased>> changes_;
};

}  // namespace braidlog::store
