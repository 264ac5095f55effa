#include "runlog/run_log.h"

#include <utility>

#include "base/check.h"

namespace braidlog {

namespace {

RunChange change_of(RunStatus before, const RunEffects& effects) {
  RunChange change;
  change.status = effects.status;
  change.run = effects.status != before;
  change.approvals = !effects.approvals_opened.empty() || !effects.approvals_closed.empty();
  change.tasks = effects.changes_tasks() || effects.session_status;
  change.items = !effects.artifacts.empty() || !effects.data_items.empty();
  return change;
}

}  // namespace

Result<std::shared_ptr<RunRecords>> RunLog::open(RunId id, std::uint64_t epoch, std::string records, Lost lost) {
  auto run = std::make_shared<RunRecords>(id);
  if (auto loaded = run->load(std::move(records)); !loaded) return fail(loaded.error());
  OpenRun& open = runs_[id];
  open.records = run;
  open.epoch = epoch;
  open.lost = std::move(lost);
  open.submitted = run->appended();
  open.unsent = run->end();
  // A run that waits for its turn has its first event alone. What it waits for else is told with its next commit.
  open.status = run->appended() > Sequence{1} ? RunStatus::kRunning : RunStatus::kQueued;
  if (changed_) changed_(run, {.status = open.status, .run = true});
  return run;
}

std::shared_ptr<RunRecords> RunLog::find(RunId id) const {
  const auto at = runs_.find(id);
  return at == runs_.end() ? nullptr : at->second.records;
}

RunLog::OpenRun& RunLog::writer(RunId id) {
  const auto at = runs_.find(id);
  BRAIDLOG_CHECK(at != runs_.end());
  return at->second;
}

void RunLog::append(OpenRun& run, const std::vector<RunEvent>& events, Done done) {
  BRAIDLOG_CHECK(!events.empty());
  for (const auto& event : events) run.records->append(event);
  if (done) run.waiting.push_back(std::move(done));
  if (!run.dirty) {
    run.dirty = true;
    dirty_.push_back(&run);
  }
  schedule_flush();
}

// What came in while the last commit ran goes into the next one: a flush waits for the one before it.
void RunLog::schedule_flush() {
  if (flush_scheduled_ || in_flight_ > 0) return;
  flush_scheduled_ = true;
  loop_.post([this] { flush(); });
}

void RunLog::flush() {
  flush_scheduled_ = false;
  std::vector<PendingWrite> writes;
  writes.reserve(dirty_.size());
  for (OpenRun* run : dirty_) take_append(*run, writes.emplace_back());
  dirty_.clear();
  if (writes.empty()) return;
  in_flight_ = writes.size();
  store_.submit(std::move(writes));
}

void RunLog::take_append(OpenRun& run, PendingWrite& into) {
  Append& append = into.write.emplace<Append>();
  append.run_id = run.records->id();
  append.follows = run.submitted;
  append.epoch = run.epoch;
  const Sequence upto = run.records->appended();
  append.record_count = static_cast<std::uint32_t>(upto.value - run.submitted.value);
  append.effects = std::move(run.effects);
  if (is_over(append.effects.status)) {
    append.sealed = run.records->whole();
  } else {
    append.records = run.records->copy(run.unsent);
  }
  const RunChange change = change_of(run.status, append.effects);
  run.status = change.status;
  run.submitted = upto;
  run.unsent = run.records->end();
  run.effects = {};
  run.dirty = false;
  into.back = &loop_;
  into.done = [this, &run, upto, change,
               waiting = std::exchange(run.waiting, {})](Result<WriteOutcome> result) mutable {
    committed(run, upto, change, std::move(waiting), std::move(result));
  };
}

void RunLog::committed(OpenRun& run, Sequence upto, const RunChange& change, std::vector<Done> waiting,
                       Result<WriteOutcome> result) {
  BRAIDLOG_CHECK(in_flight_ > 0);
  --in_flight_;
  if (!dirty_.empty()) schedule_flush();
  const auto records = run.records;  // keeps them alive: this log may hold the last reference
  result ? records->commit(upto) : records->abandon();
  if (!result || records->ended()) {
    // Appends behind a refused one are refused with it: nobody may wait for ever.
    std::erase(dirty_, &run);
    auto closed = runs_.extract(records->id());
    for (auto& done : closed.mapped().waiting) waiting.push_back(std::move(done));
    if (!result && closed.mapped().lost) closed.mapped().lost(result.error());
  }
  const Status status = result ? Status() : fail(result.error());
  for (auto& done : waiting) done(status);
  if (result && changed_ && change.any()) changed_(records, change);
  if (result && result->next_run && next_) next_(*result->next_run);
}

}  // namespace braidlog
