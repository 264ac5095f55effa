#include "runlog/run_log.h"

#include <utility>

#include "base/check.h"
#include "base/release_memory.h"

namespace braidlog {

namespace {

constexpr std::size_t kSpareRecordBytesMax = 512;

RunChange change_of(RunStatus before, const LazyBox<RunEffects>& box) {
  RunChange change;
  change.status = box->status;
  change.run = change.status != before;
  if (!box.is_touched()) return change;
  const RunEffects& effects = *box;
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
  open.unsent = run->cut();
  // A run that waits for its turn has its first event alone. What it waits for else is told with its next commit.
  open.change.status = run->appended() > Sequence{1} ? RunStatus::kRunning : RunStatus::kQueued;
  if (changed_) changed_(run, {.status = open.change.status, .run = true});
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
  submit_later(run);
}

void RunLog::append(OpenRun& run, const RunEvent& event) {
  run.records->append(event);
  submit_later(run);
}

void RunLog::submit_later(OpenRun& run) {
  if (!std::exchange(run.dirty, true)) dirty_.push_back(&run);
  schedule_flush();
}

// What came in while the last commit ran goes into the next one: a flush waits for the one before it.
void RunLog::schedule_flush() {
  if (flush_scheduled_ || !in_flight_.empty()) return;
  flush_scheduled_ = true;
  loop_.post([this] { flush(); });
}

void RunLog::flush() {
  flush_scheduled_ = false;
  if (dirty_.empty()) return;
  in_flight_ = std::exchange(dirty_, {});
  std::vector<Write> writes = std::exchange(spare_, {});
  if (writes.size() > in_flight_.size()) writes.erase(writes.begin() + std::ssize(in_flight_), writes.end());
  while (writes.size() < in_flight_.size()) writes.emplace_back(std::in_place_type<Append>);
  for (std::size_t i = 0; i < writes.size(); ++i) take_append(*in_flight_[i], std::get<Append>(writes[i]));
  store_.submit(std::move(writes), loop_, [this](Written written) { committed(std::move(written)); });
}

// `append` may have been another one before.
void RunLog::take_append(OpenRun& run, Append& append) {
  append.run_id = run.records->id();
  append.follows = run.submitted;
  append.epoch = run.epoch;
  const Sequence upto = run.records->appended();
  append.record_count = static_cast<std::uint32_t>(upto.value - run.submitted.value);
  append.effects = std::exchange(run.effects, {});
  if (is_over(append.effects->status)) {
    append.sealed = run.records->whole();
    append.records.clear();
  } else {
    run.records->copy(run.unsent, append.records);
  }
  run.change = change_of(run.change.status, append.effects);
  run.submitted = upto;
  run.unsent = run.records->cut();
  run.submitted_waiting = std::exchange(run.waiting, {});
  run.dirty = false;
}

void RunLog::committed(Written written) {
  const std::vector<OpenRun*> runs = std::exchange(in_flight_, {});
  BRAIDLOG_CHECK(runs.size() == written.outcomes.size());
  if (!dirty_.empty()) schedule_flush();
  for (std::size_t i = 0; i < runs.size(); ++i) committed(*runs[i], written.outcomes[i]);
  for (Write& write : written.writes) {
    auto& append = std::get<Append>(write);
    append.effects = {};
    append.sealed.reset();
    if (append.records.capacity() > kSpareRecordBytesMax) release_memory(append.records);
  }
  spare_ = std::move(written.writes);
}

void RunLog::committed(OpenRun& run, const Result<WriteOutcome>& outcome) {
  RunRecords& records = *run.records;
  outcome ? records.commit(run.submitted) : records.abandon();
  auto waiting = std::exchange(run.submitted_waiting, {});
  decltype(runs_)::node_type closed;  // keeps the run until everybody knows
  if (!outcome || records.ended()) {
    // Appends behind a refused one are refused with it: nobody may wait for ever.
    std::erase(dirty_, &run);
    for (auto& done : run.waiting) waiting.push_back(std::move(done));
    closed = runs_.extract(records.id());
    if (!outcome && run.lost) run.lost(outcome.error());
  }
  if (!waiting.empty()) {
    const Status status = outcome ? Status() : fail(outcome.error());
    for (auto& done : waiting) done(status);
  }
  if (!outcome) return;
  if (changed_ && run.change.any()) changed_(run.records, run.change);
  if (outcome->next_run && next_) next_(*outcome->next_run);
}

}  // namespace braidlog
