#include "server/run_clients.h"

namespace braidlog {

RunClients::Seat RunClients::sit_down(RunId run_id, ViewerRole role, const api::Caller& caller) {
  if (role == ViewerRole::kViewer) return {};
  auto at = runs_.find(run_id);
  if (role == ViewerRole::kTakesPlace && (at == runs_.end() || !at->second.may_come_back)) return {};
  if (at == runs_.end()) at = runs_.try_emplace(run_id).first;
  Run& run = at->second;
  ++run.seats;
  run.timer.reset();
  run.caller = caller;
  if (role != ViewerRole::kTakesPlace) run.may_come_back = role == ViewerRole::kMayComeBack;
  return Seat(*this, run_id);
}

void RunClients::leave(RunId run_id) {
  const auto at = runs_.find(run_id);
  if (at == runs_.end() || --at->second.seats > 0) return;
  if (!at->second.may_come_back) return stop(run_id);
  at->second.timer = loop_.after(return_grace_, [this, run_id] { stop(run_id); });
}

void RunClients::stop(RunId run_id) {
  const auto gone = runs_.extract(run_id);  // its timer may be the one that runs now: destroyed last
  if (!gone.empty()) stop_(run_id, gone.mapped().caller);
}

}  // namespace braidlog
