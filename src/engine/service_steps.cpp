// The steps of a session, read from the logs of its runs: from the store where a run is over, from its thread where it
// is under way.
#include <algorithm>
#include <iterator>

#include "engine/service_support.h"
#include "event/encoding.h"

namespace braidlog {

namespace {

void take_step(RunEvent& event, api::StepList& steps) {
  if (auto* plan = std::get_if<PlanMade>(&event.body)) steps.emplace_back(std::move(*plan));
  if (auto* step = std::get_if<StepFinished>(&event.body)) steps.emplace_back(std::move(*step));
}

Status take_steps(std::string_view records, api::StepList& steps) {
  RunEvent event;
  RecordContext context;
  for (std::uint64_t sequence = 1; !records.empty(); ++sequence) {
    if (!take_record(records, {sequence}, context, event)) {
      return fail(ErrorCode::kStorage, "The log of a run cannot be read");
    }
    take_step(event, steps);
  }
  return {};
}

struct StoredSteps {
  api::StepList steps;
  std::optional<RunId> live;  // its steps come after these
};

Result<StoredSteps> read_steps(StoreReader& reader, SessionId session_id) {
  auto runs = reader.runs(session_id);
  if (!runs) return fail(runs.error());
  StoredSteps found;
  for (const auto& run : *runs) {
    if (!is_over(run.status)) {
      if (!found.live) found.live = run.id;  // later ones wait for it
      continue;
    }
    const auto records = reader.records(run.id);
    if (!records && records.error().code == ErrorCode::kGone) continue;
    if (!records) return fail(records.error());
    if (auto taken = take_steps(*records, found.steps); !taken) return fail(taken.error());
  }
  return found;
}

// None: the run is not here any more.
std::optional<api::StepList> live_steps(RunHost& host, RunId run_id) {
  const auto records = host.log().find(run_id);
  if (!records) return std::nullopt;
  api::StepList steps;
  Cursor cursor(records);
  while (const RunEvent* event = cursor.next()) {
    RunEvent copy = *event;
    take_step(copy, steps);
  }
  return steps;
}

}  // namespace

void EngineService::handle(const api::Caller& caller, api::ListSteps query, api::Reply<api::StepList> reply) {
  with_session(caller, query.session_id, Want::kRead, std::move(reply),
               [this](api::Session session, api::Reply<api::StepList> then) {
                 collect_steps(session.id, kStepTries, std::move(then));
               });
}

void EngineService::collect_steps(SessionId id, int tries_left, api::Reply<api::StepList> reply) {
  read_then(
      engine_.store, loop_, [id](StoreReader& reader) { return read_steps(reader, id); },
      [this, id, tries_left, reply = std::move(reply)](Result<StoredSteps> found) mutable {
        if (!found) return reply(fail(found.error()));
        if (!found->live) return reply(std::move(found->steps));
        RunHost& host = engine_.shards.of(*found->live);
        host.loop().post([this, &host, id, tries_left, stored = std::move(*found), reply = std::move(reply)]() mutable {
          auto live = live_steps(host, *stored.live);
          loop_.post([this, id, tries_left, stored = std::move(stored.steps), live = std::move(live),
                      reply = std::move(reply)]() mutable {
            // It came to its end in between, and is in the store now; or it is about to be taken in.
            if (!live && tries_left > 0) return collect_steps(id, tries_left - 1, std::move(reply));
            if (live) std::ranges::move(*live, std::back_inserter(stored));
            reply(std::move(stored));
          });
        });
      });
}

}  // namespace braidlog
