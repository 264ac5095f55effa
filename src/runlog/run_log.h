// The log of the runs that belong to one io thread. Appending is cheap and returns at once; the events of one
// loop round go to the store together, and an event can be read only after its commit. There is no other way
// from the engine to a client. Runs on: its io thread.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/loop.h"
#include "runlog/run_records.h"
#include "runlog/store_access.h"

namespace braidlog {

// What lists show of a run, and is another after a commit.
struct RunChange {
  RunStatus status = RunStatus::kQueued;  // now
  bool run = false;                       // the status, or the run is new here
  bool approvals = false;                 // one was opened, or closed
  bool tasks = false;                     // of the session
  bool items = false;                     // artifacts and data items of the session
  bool any() const { return run || approvals || tasks || items; }
};

class RunLog {
 public:
  // Both outlive the log.
  RunLog(Loop& loop, StoreAccess& store) : loop_(loop), store_(store) {}

  // A run that is durable and not over: just made, or claimed after a restart. This log is its writer with
  // `epoch`. `lost` runs when an append was refused (kFenced: the run has another owner): it is closed here, and
  // its writer stops.
  using Lost = UniqueFunction<void(const Error&)>;
  Result<std::shared_ptr<RunRecords>> open(RunId id, std::uint64_t epoch, std::string records, Lost lost = {});
  // The run if it is open here: until its terminal event is committed. Null otherwise.
  std::shared_ptr<RunRecords> find(RunId id) const;

  // A run as its writer sees it: looked up once. Valid while the run is open here.
  using Done = UniqueFunction<void(Status)>;
  class OpenRun {
    friend class RunLog;
    std::shared_ptr<RunRecords> records;
    std::uint64_t epoch = 0;
    Sequence submitted;          // everything up to here is with the store
    RunRecords::Place unsent{};  // where the rest begins
    LazyBox<RunEffects> effects;
    std::vector<Done> waiting;
    bool dirty = false;
    // Of the append that is with the store, or was last:
    RunChange change;
    std::vector<Done> submitted_waiting;

    Lost lost;
  };
  OpenRun& writer(RunId id);

  // What the tables show after the next commit of the run. Its writer adds to it what events mean, before it appends
  // them. Valid until the next task.
  RunEffects& effects(OpenRun& run) { return run.effects.touch(); }
  // The same for events that mean nothing but that the run is at work, as most do.
  void stays_at_work(OpenRun& run) {
    if (run.effects.is_touched()) run.effects.touch().status = RunStatus::kRunning;
  }
  // Appends events that follow one another and the last one appended. `done`, if any, runs after the commit, or with
  // the error when the append was refused. When the events end the run it is closed here after their commit, before
  // `done`.
  void append(OpenRun& run, const std::vector<RunEvent>& events, Done done);
  void append(OpenRun& run, const RunEvent& event);
  // An event to be filled in and appended: one for all runs, so that its memory is at hand when each adds a word.
  RunEvent& draft() { return draft_; }

  // Hears, when a run has ended here, which run of its session is the next at work.
  void when_next(UniqueFunction<void(RunId)> next) { next_ = std::move(next); }

  // Hears what lists show of a run when it is another: after the commit, and when a run is taken in. What a run says
  // changes no list, so this costs nothing per token.
  using Changed = UniqueFunction<void(const std::shared_ptr<RunRecords>&, const RunChange&)>;
  void when_changed(Changed changed) { changed_ = std::move(changed); }

  std::size_t open_runs() const { return runs_.size(); }

 private:
  void submit_later(OpenRun& run);
  void schedule_flush();
  void flush();
  void take_append(OpenRun& run, Append& into);
  void committed(Written written);
  void committed(OpenRun& run, const Result<WriteOutcome>& outcome);

  Loop& loop_;
  StoreAccess& store_;
  std::unordered_map<RunId, OpenRun> runs_;
  // A run stays where it is in the map until its last append is back, so these and the appends in flight may point at
  // it: with many runs a look-up is a miss of the cache.
  std::vector<OpenRun*> dirty_;
  std::vector<OpenRun*> in_flight_;  // their appends are with the store
  std::vector<Write> spare_;         // the appends of the last flush, for their memory
  RunEvent draft_;
  UniqueFunction<void(RunId)> next_;
  Changed changed_;
  bool flush_scheduled_ = false;
};

}  // namespace braidlog
