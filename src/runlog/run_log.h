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
    Lost lost;
    Sequence submitted;          // everything up to here is with the store
    RunRecords::Place unsent{};  // where the rest begins
    RunEffects effects;
    RunStatus status = RunStatus::kQueued;  // with the store
    std::vector<Done> waiting;
    bool dirty = false;
  };
  OpenRun& writer(RunId id);

  // What the tables show after the next commit of the run. Its writer adds to it what events mean, before it appends
  // them; most mean nothing but the status.
  RunEffects& effects(OpenRun& run) { return run.effects; }
  // Appends events that follow one another and the last one appended. `done`, if any, runs after the commit, or with
  // the error when the append was refused. When the events end the run it is closed here after their commit, before
  // `done`.
  void append(OpenRun& run, const std::vector<RunEvent>& events, Done done);

  // Hears, when a run has ended here, which run of its session is the next at work.
  void when_next(UniqueFunction<void(RunId)> next) { next_ = std::move(next); }

  // Hears what lists show of a run when it is another: after the commit, and when a run is taken in. What a run says
  // changes no list, so this costs nothing per token.
  using Changed = UniqueFunction<void(const std::shared_ptr<RunRecords>&, const RunChange&)>;
  void when_changed(Changed changed) { changed_ = std::move(changed); }

  std::size_t open_runs() const { return runs_.size(); }

 private:
  void schedule_flush();
  void flush();
  void take_append(OpenRun& run, PendingWrite& into);
  void committed(OpenRun& run, Sequence upto, const RunChange& change, std::vector<Done> waiting,
                 Result<WriteOutcome> result);

  Loop& loop_;
  StoreAccess& store_;
  std::unordered_map<RunId, OpenRun> runs_;
  // A run stays where it is in the map until its last append is back, so these and the appends in flight may point at
  // it: with many runs a look-up is a miss of the cache.
  std::vector<OpenRun*> dirty_;
  UniqueFunction<void(RunId)> next_;
  Changed changed_;
  std::size_t in_flight_ = 0;  // appends of the last flush that are not back yet
  bool flush_scheduled_ = false;
};

}  // namespace braidlog
