#include "engine/run_host.h"

#include "base/log.h"
#include "engine/session_history.h"
#include "event/fold.h"

namespace braidlog {

namespace {

constexpr std::size_t kEarlyMax = 4096;

}  // namespace

RunHost::RunHost(Loop& loop, StoreAccess& store, const Limits& limits)
    : RunHost(loop, store, limits, IdSource(loop.clock())) {}

RunHost::RunHost(Loop& loop, StoreAccess& store, const Limits& limits, IdSource ids)
    : loop_(loop), store_(store), limits_(limits), ids_(std::move(ids)), log_(loop, store) {}

RunHost::~RunHost() = default;

Status RunHost::admit(Admission admission) {
  const RunId id = admission.run_id;
  Result<RunState> state = admission.state ? std::move(*admission.state) : fold_records(admission.records);
  if (!state) return fail(state.error());
  auto records = log_.open(id, admission.epoch, std::move(admission.records), [this, id](const Error& error) {
    if (const auto at = runs_.find(id); at != runs_.end()) at->second.driver->lose(error);
  });
  if (!records) return fail(records.error());
  Hosted& hosted = runs_[id];
  hosted.place = std::move(admission.place);
  hosted.driver =
      std::make_unique<RunDriver>(RunDriver::Setup{id, std::move(admission.agent), std::move(admission.policy),
                                                   std::move(admission.history), std::move(*state), files_},
                                  loop_, log_, limits_, ids_, [this, id] { over(id); });
  if (admission.title) hosted.driver->set_title(*admission.title);
  admission.resumed ? hosted.driver->resume(admission.orders) : hosted.driver->begin();
  open_.store(runs_.size(), std::memory_order_relaxed);
  if (early_.erase(id) > 0) begin_turn(id);
  return {};
}

void RunHost::begin_turn(RunId run_id) {
  const auto at = runs_.find(run_id);
  if (at == runs_.end()) {
    // Or it is over already, so that nobody will ask for it again.
    if (early_.size() >= kEarlyMax) early_.clear();
    early_.insert(run_id);
    return;
  }
  const SessionId session_id = at->second.driver->state().request.session_id;
  read_then(
      store_, loop_, [session_id](StoreReader& reader) { return read_session(reader, session_id); },
      [this, run_id](Result<SessionAndHistory> found) {
        const auto hosted = runs_.find(run_id);
        if (hosted == runs_.end()) return;
        RunDriver& driver = *hosted->second.driver;
        if (driver.state().is_begun) return;  // told twice, and this time too late
        if (!found) {
          log_error("a turn cannot begin", {{"run", to_prefixed(run_id)}, {"error", found.error().message}});
          return driver.interrupt("storage");
        }
        auto& [session, history, tasks] = *found;
        driver.begin_turn({session.title, session.message_count, std::move(tasks)}, std::move(history),
                          {session.auto_approve, session.approved_tools});
      });
}

void RunHost::stop_waiting_client_runs(const std::string& reason) {
  interrupt_those(reason, [](const RunState& state) { return state.request.stops_with_client && !state.is_begun; });
}

void RunHost::stop_client_runs(const std::string& reason) {
  interrupt_those(reason, [](const RunState& state) { return state.request.stops_with_client; });
}

void RunHost::interrupt_those(const std::string& reason, bool (*is_meant)(const RunState&)) {
  std::vector<RunDriver*> drivers;
  for (auto& [id, hosted] : runs_) {
    if (is_meant(hosted.driver->state())) drivers.push_back(hosted.driver.get());
  }
  for (RunDriver* driver : drivers) driver->interrupt(reason);
}

void RunHost::client_gone(RunId run_id, const std::string& user_id) {
  loop_.post([this, run_id, user_id] {
    const auto at = runs_.find(run_id);
    if (at != runs_.end()) at->second.driver->interrupt("client_gone", user_id);
  });
}

bool RunHost::is_same(RunId run_id, std::string_view text, std::chrono::milliseconds age) const {
  const auto at = runs_.find(run_id);
  if (at == runs_.end()) return false;
  const RunState& state = at->second.driver->state();
  return state.request.text == text && loop_.clock().wall().ms - state.queued_at.ms < age.count();
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

void RunHost::set_title(SessionId session_id, const std::string& title) {
  for (auto& [id, hosted] : runs_) {
    if (hosted.driver->state().request.session_id == session_id) hosted.driver->set_title(title);
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
