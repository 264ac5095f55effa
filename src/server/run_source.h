// Where the viewers of one io thread get its runs from: the records of a run that is live or finished, and the messages
// of its session. Runs on: the io thread of the runs.
#pragma once

#include <memory>
#include <unordered_map>

#include "runlog/run_log.h"
#include "runlog/run_records.h"
#include "runlog/store_access.h"
#include "server/history_source.h"

namespace braidlog {

class RunSource final : public HistorySource {
 public:
  // All outlive the source.
  RunSource(Loop& loop, RunLog& log, StoreAccess& store) : loop_(loop), log_(log), store_(store) {}

  // `found` comes once, perhaps from inside this call. kRunNotFound; kGone; kUnavailable when the run cannot be read
  // right now; kStorage when it cannot be read at all.
  using Found = UniqueFunction<void(Result<std::shared_ptr<RunRecords>>)>;
  void find(RunId run_id, Found found);
  // A viewer of the run has let its records go. One copy of a finished run serves all its viewers, until the last.
  void let_go(RunId run_id);

  void fetch(const HistoryNeed& need, UniqueFunction<void(std::shared_ptr<const api::SessionView>)> take) override;

 private:
  void look(RunId run_id, int tries_left, Found found);
  Result<std::shared_ptr<RunRecords>> keep(RunId run_id, Result<std::string> bytes);

  Loop& loop_;
  RunLog& log_;
  StoreAccess& store_;
  std::unordered_map<RunId, std::weak_ptr<RunRecords>> finished_;
};

}  // namespace braidlog
