// Start-up: every run that the last process left unfinished is claimed and taken up again, from the log
// alone.
#include <algorithm>

#include "base/log.h"
#include "engine/effects.h"
#include "engine/service.h"
#include "event/encoding.h"
#include "event/fold.h"

namespace braidlog {

namespace {

// What ends a run whose agent no longer exists: whatever is open is closed, then it fails, or is interrupted where that
// was acknowledged.
std::vector<RunEventBody> orphan_ending(const RunState& state) {
  std::vector<RunEventBody> ending;
  if (!state.is_begun) {
    RunStarted started;
    started.session_id = state.request.session_id;
    started.user_id = state.request.user_id;
    started.contract = state.request.contract;
    started.agent = state.request.agent;
    started.title = state.request.title;
    ending.push_back(std::move(started));
  }
  const auto turn = static_cast<std::uint32_t>(state.turns.size());
  if (state.text_open) ending.push_back(TextFinished{turn, state.parts});
  if (state.reasoning_open) ending.push_back(ReasoningFinished{turn, state.parts});
  for (const auto& call : state.calls) {
    if (call.phase == CallPhase::kWaiting) {
      ending.push_back(InputGiven{call.approval.value_or(ApprovalId{}), InputKind::kApproval, call.id,
                                  Verdict::kRejected, "interrupted", "", false});
    } else if (call.phase == CallPhase::kRunning) {
      ending.push_back(ToolFinished{call.id, call.name, ToolStatus::kOutcomeUnknown, "null",
                                    "The server restarted while this tool ran; its outcome is unknown."});
    } else if (!is_closed(call.phase)) {
      ending.push_back(ToolCallAbandoned{call.id, "the agent no longer exists"});
    }
  }
  if (state.is_thinking()) ending.push_back(ModelFinished{.turn = turn, .finish = FinishReason::kAborted});
  if (state.interrupt_reason) {
    ending.push_back(RunInterrupted{*state.interrupt_reason});
  } else {
    ending.push_back(RunFailed{FailureCode::kInternal, "The agent of this run no longer exists"});
  }
  return ending;
}

Status end_orphan(RunStore& store, const ClaimedRun& claimed, RunState state, WallTime now) {
  Append append;
  append.run_id = claimed.run.id;
  append.follows = state.last;
  append.epoch = claimed.epoch;
  std::vector<RunEvent> events;
  for (auto& body : orphan_ending(state)) {
    events.push_back({state.last.next(), std::max(now, state.last_at), state.elapsed_ms, std::move(body)});
    append_record(append.records, events.back());
    state.apply(events.back());
  }
  append.record_count = static_cast<std::uint32_t>(events.size());
  append.effects = effects_of(claimed.run.id, state, events);
  append.sealed = claimed.records + append.records;
  const Write write = std::move(append);
  auto results = store.commit({&write, 1});
  if (!results[0]) return fail(results[0].error());
  return {};
}

Result<RunHost::Admission> make_admission(StoreReader& reader, ClaimedRun claimed, const RunState& state,
                                          std::shared_ptr<const RunnableAgent> agent) {
  auto session = reader.session(claimed.run.session_id);
  if (!session) return fail(session.error());
  // A run whose turn had not come has no place among the messages.
  const auto own = state.begun.text.empty() ? 0u : 1u;
  auto history = reader.messages(session->id, state.begun.message_position - own);
  if (!history) return fail(history.error());
  RunHost::Admission admission;
  admission.run_id = claimed.run.id;
  admission.epoch = claimed.epoch;
  admission.records = std::move(claimed.records);
  admission.agent = std::move(agent);
  admission.policy = {session->auto_approve, session->approved_tools};
  admission.title = session->title;
  admission.history = std::move(*history);
  admission.resumed = true;
  admission.orders = std::move(claimed.orders);
  return admission;
}

}  // namespace

Status recover_runs(Engine& engine, RunStore& store) {
  const auto newest = store.newest_id();
  if (!newest) return fail(newest.error());
  for (RunHost* host : engine.shards.all()) host->ids().follow(*newest);
  auto claimed = store.claim_runs(engine.owner);
  if (!claimed) return fail(claimed.error());
  auto reader = store.open_reader();
  if (!reader) return fail(reader.error());
  for (auto& run : *claimed) {
    auto state = fold_records(run.records);
    if (!state) return fail(state.error());
    auto agent = engine.agents.find(run.run.agent);
    RunHost& host = engine.shards.of(run.run.id);
    if (!agent) {
      if (auto ended = end_orphan(store, run, std::move(*state), host.loop().clock().wall()); !ended) return ended;
      continue;
    }
    auto admission = make_admission(**reader, std::move(run), *state, std::move(agent));
    if (!admission) return fail(admission.error());
    admission->place = engine.budgets.keep(state->request.user_id);
    host.loop().post([&host, admission = std::move(*admission)]() mutable {
      const RunId id = admission.run_id;
      if (auto admitted = host.admit(std::move(admission)); !admitted) {
        log_error("a run cannot be taken up", {{"run", to_prefixed(id)}, {"error", admitted.error().message}});
      }
    });
  }
  if (!claimed->empty()) log_info("took up unfinished runs", {{"count", std::to_string(claimed->size())}});
  return {};
}

}  // namespace braidlog
