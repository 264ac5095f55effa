#include "engine/run_host.h"

#include "event/fold.h"

namespace braidlog {

RunHost::RunHost(Loop& loop, StoreAccess& store, const Limits& limits)
    : RunHost(loop, store, limits, IdSource(loop.clock())) {}

RunHost::RunHost(Loop& loop, StoreAccess& store, const Limits& limits, IdSource ids)
    : loop_(loop), limits_(limits), ids_(std::move(ids)), log_(loop, store) {}

RunHost::~RunHost() = default;

Status RunHost::admit(Admission admission) {
  const RunId id = admission.run_id;
  auto state = fold_records(admission.records);
  if (!state) return fail(state.error());
  auto records = log_.open(id, admission.epoch, std::move(admission.records), [this, id](const Error& error) {
    if (const auto at = runs_.find(id); at != runs_.end()) at->second.driver->lose(error);
  });
  if (!records) return fail(records.error());
  Hosted& hosted = runs_[id];
  hosted.driver =
      std::make_unique<RunDriver>(RunDriver::Setup{id, std::move(admission.agent), std::move(admission.policy),
                                                   std::move(admission.history), std::move(*state)},
                                  loop_, log_, limits_, ids_, [this, id] { over(id); });
  admission.resumed ? hosted.driver->resume(admission.orders) : hosted.driver->begin();
  open_.store(runs_.size(), std::memory_order_relaxed);
  return {};
}

void RunHost::deliver(RunId run_id, RunOrder order, RunDriver::Ack ack) {
  const auto at = runs_.find(run_id);
  if (at == runs_.end()) {
    if (ack) ack(fail(ErrorCode::kInvalidState, "The run is over"));
    return;
  }
  at->second.driver->deliver(std::move(order), std::move(ack));
}

std::optional<api::Run> RunHost::look(RunId run_id) const {
  const auto at = runs_.find(run_id);
  const auto records = log_.find(run_id);
  if (at == runs_.end() || !records || records->committed() != records->appended()) return std::nullopt;
  const RunState& state = at->second.driver->state();
  api::Run run;
  run.id = run_id;
  run.session_id = state.request.session_id;
  run.user_id = state.request.user_id;
  run.agent = state.request.agent;
  run.contract = state.request.contract;
  run.status = state.status();
  run.created_at = state.queued_at;
  if (state.is_begun) run.started_at = state.started_at;
  run.usage = state.usage;
  run.last = state.last;
  return run;
}

void RunHost::set_auto_approve(SessionId session_id, bool enabled) {
  for (auto& [id, hosted] : runs_) {
    if (hosted.driver->state().request.session_id == session_id) hosted.driver->set_auto_approve(enabled);
  }
}

void RunHost::when_over(RunId run_id, Task task) {
  const auto at = runs_.find(run_id);
  if (at == runs_.end()) return task();
  at->second.when_over.push_back(std::move(task));
}

void RunHost::over(RunId run_id) {
  auto hosted = runs_.extract(run_id);
  if (hosted.empty()) return;
  open_.store(runs_.size(), std::memory_order_relaxed);
  for (auto& task : hosted.mapped().when_over) task();
}

std::size_t RunHost::working_runs() const {
  std::size_t working = 0;
  for (const auto& [id, hosted] : runs_) {
    working += hosted.driver->state().status() != RunStatus::kWaitingApproval;
  }
  return working;
}

}  // namespace braidlog
