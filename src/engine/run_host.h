// The runs of one io thread: their log, their drivers, and the way orders reach them. Runs on: its io thread;
// other threads post to it.
#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "engine/run_driver.h"
#include "engine/user_budgets.h"
#include "runlog/run_log.h"

namespace braidlog {

class RunHost {
 public:
  // All outlive the host.
  RunHost(Loop& loop, StoreAccess& store, const Limits& limits);
  // With ids that can be foretold: for the simulator.
  RunHost(Loop& loop, StoreAccess& store, const Limits& limits, IdSource ids);
  ~RunHost();

  Loop& loop() { return loop_; }
  RunLog& log() { return log_; }
  IdSource& ids() { return ids_; }

  // A run that is durable and whose owner this server is, with `epoch`.
  struct Admission {
    RunId run_id;
    std::uint64_t epoch = 1;
    std::string records;  // from sequence 1
    std::shared_ptr<const RunnableAgent> agent;
    SessionPolicy policy;
    std::vector<api::Message> history;
    bool resumed = false;
    std::vector<RunOrder> orders{};      // placed but not yet events
    std::optional<RunState> state{};     // what the records tell, if somebody has it already
    std::optional<std::string> title{};  // the session's, when it may be another than the run began with
    UserBudgets::Place place{};
  };
  // Takes the run in and lets it go on. kStorage when its records cannot be read.
  Status admit(Admission admission);

  // Who reads attached files that are no text. To be set before the first run; without it such a run fails.
  void read_files_with(FileReader& files) { files_ = &files; }
  // Who brings a run's turn to it, on whatever thread it lives. To be set before the first run.
  void set_waker(UniqueFunction<void(RunId)> wake) { log_.when_next(std::move(wake)); }
  // The turn of a run that waited has come. It may be told before the run is taken in.
  void begin_turn(RunId run_id);
  // Ends the runs whose clients this server is about to leave. First, on every host, those whose turn has not come:
  // otherwise one begins when the turn before it ends.
  void stop_waiting_client_runs(const std::string& reason);
  void stop_client_runs(const std::string& reason);
  // Ends, soon, the run whose client `user_id` was and is no more. This needs no order in the store, so it works while
  // the disk refuses too; and after a crash such a run is ended anyway.
  void client_gone(RunId run_id, const std::string& user_id);

  // Whether the run is here, says the same and was asked for less than `age` ago.
  bool is_same(RunId run_id, std::string_view text, std::chrono::milliseconds age) const;

  // kInvalidState when the run is not, or no longer, here.
  void deliver(RunId run_id, RunOrder order, RunDriver::Ack ack);

  // The run as the store shows it, without asking the store. None when the run is not here, or has events that are
  // not durable yet.
  std::optional<api::Run> look(RunId run_id) const;

  void set_auto_approve(SessionId session_id, bool enabled);
  void set_title(SessionId session_id, const std::string& title);

  // Runs `task` when the run is over; at once when it is not here.
  void when_over(RunId run_id, Task task);

  // Runs that do not wait for people.
  std::size_t working_runs() const;
  // From any thread.
  std::size_t open_runs() const { return open_.load(std::memory_order_relaxed); }

 private:
  struct Hosted {
    UserBudgets::Place place;
    std::unique_ptr<RunDriver> driver;
    std::vector<Task> when_over;
  };
  void interrupt_those(const std::string& reason, bool (*is_meant)(const RunState&));
  void over(RunId run_id);

  Loop& loop_;
  StoreAccess& store_;
  const Limits& limits_;
  FileReader* files_ = nullptr;
  IdSource ids_;
  RunLog log_;
  std::unordered_map<RunId, Hosted> runs_;
  std::unordered_set<RunId> early_;  // their turns came before they did
  std::atomic<std::size_t> open_{0};
};

// The hosts of all io threads. A run belongs to the thread that its id says.
class Shards {
 public:
  explicit Shards(std::vector<RunHost*> hosts) : hosts_(std::move(hosts)) {}
  unsigned index_of(RunId id) const { return static_cast<unsigned>(std::hash<RunId>{}(id) % hosts_.size()); }
  RunHost& of(RunId id) const { return *hosts_[index_of(id)]; }
  const std::vector<RunHost*>& all() const { return hosts_; }

 private:
  std::vector<RunHost*> hosts_;
};

}  // namespace braidlog
