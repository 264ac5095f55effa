// How a run is started: the session it belongs to, the run it may mean already, its agent and files, and then the run
// itself with its first events, in one commit.
#include <algorithm>

#include "base/utf8.h"
#include "engine/attachments.h"
#include "engine/effects.h"
#include "engine/service_support.h"
#include "engine/session_history.h"
#include "event/encoding.h"

namespace braidlog {

namespace {

// A session's message count was read before the run was made; another run may have come and gone in between.
constexpr int kStartTries = 5;
constexpr std::size_t kFirstEvents = 4;  // of most runs: queued, started, and what follows at once

// The run with its first events. What the machine makes of its beginning is among them, so that a run costs one commit
// before the model is called, not two.
NewRun make_new_run(const api::StartRun& command, const api::Session& session, RunId id, const std::string& owner,
                    std::vector<RunEvent> events, RunMachine& machine) {
  NewRun write;
  write.run.id = id;
  write.run.session_id = session.id;
  write.run.user_id = session.user_id;
  write.run.agent = std::get<RunStarted>(events[1].body).agent;
  write.run.contract = command.contract;
  write.run.created_at = events[0].at;
  write.idempotency_key = command.idempotency_key;
  write.fingerprint = command.fingerprint;
  write.expected_message_count = session.message_count;
  write.may_wait = command.waits;
  write.owner = owner;
  write.text = first_code_points(command.text, kRunTextCodePointsMax);
  for (auto& event : machine.handle(Begin{}, {events[0].at, 0}).events) events.push_back(std::move(event));
  for (const auto& event : events) {
    append_record(write.records, event);
    if (write.first_record_bytes == 0) write.first_record_bytes = write.records.size();
  }
  write.record_count = static_cast<std::uint32_t>(events.size());
  write.effects = effects_of(id, machine.state(), events);
  write.run.status = write.effects.status;
  write.run.started_at = write.effects.started_at;
  write.run.last = machine.state().last;
  return write;
}

}  // namespace

void pass_on_turns(Engine& engine) {
  for (RunHost* host : engine.shards.all()) {
    host->set_waker([&engine](RunId next) {
      RunHost& home = engine.shards.of(next);
      home.loop().post([&home, next] { home.begin_turn(next); });
    });
  }
}

struct EngineService::Start {
  api::Caller caller;
  api::StartRun command;
  api::Reply<api::StartedRun> reply;
  int tries_left = kStartTries;
  std::optional<Result<UserBudgets::Place>> place{};  // none: not asked for yet

  api::Session session{};
  bool is_new = false;          // the session is made with the run
  bool is_from_memory = false;  // it was not read but is known, or was
  std::vector<api::Message> history{};
  std::vector<KnownTask> tasks{};
  std::shared_ptr<const RunnableAgent> agent{};
  std::optional<KeptFiles> files{};  // none: they are not kept yet

  void refuse(Error error) { reply(fail(std::move(error))); }
  bool has_work() const {
    const auto is_pending = [](const KnownTask& task) { return task.item.status == TaskStatus::kPending; };
    return command.way != Way::kExecute || std::ranges::any_of(tasks, is_pending);
  }
};

void EngineService::handle(const api::Caller& caller, api::StartRun command, api::Reply<api::StartedRun> reply) {
  if (engine_.draining) return reply(fail(ErrorCode::kUnavailable, "The server is stopping"));
  find_session(StartPtr(new Start{caller, std::move(command), std::move(reply)}));
}

void EngineService::find_session(StartPtr start) {
  if (!start->command.session_id || start->is_new) return take_new_session(std::move(start));
  const SessionId id = *start->command.session_id;
  if (auto fresh = engine_.fresh_sessions.take(id); fresh && owned(start->caller, fresh->user_id)) {
    start->session = std::move(*fresh);
    start->is_from_memory = true;
    return prepare(std::move(start));
  }
  start->is_from_memory = false;
  read_then(
      engine_.store, loop_, [id](StoreReader& reader) { return read_session(reader, id); },
      [this, start = std::move(start)](Result<SessionAndHistory> found) mutable {
        if (found && !owned(start->caller, found->session.user_id)) found = session_not_found();
        const bool is_missing = !found && found.error().code == ErrorCode::kSessionNotFound;
        if (is_missing && start->command.else_new) return take_new_session(std::move(start));
        if (!found) return start->refuse(found.error());
        start->session = std::move(found->session);
        start->history = std::move(found->history);
        start->tasks = std::move(found->tasks);
        look_for_same(std::move(start));
      });
}

void EngineService::take_new_session(StartPtr start) {
  const api::StartRun& command = start->command;
  if (!start->is_new) start->session = make_session(start->caller, command.title, command.agent, command.contract);
  start->is_new = true;
  // An earlier try may have read a session that was deleted since.
  start->history.clear();
  start->tasks.clear();
  prepare(std::move(start));
}

// A client that lost its connection and asks the same again means the run that it began.
void EngineService::look_for_same(StartPtr start) {
  // What a key says comes first; then the store finds the session busy.
  const bool looks = start->command.attaches && start->session.active_run && start->command.idempotency_key.empty();
  if (!looks) return prepare(std::move(start));
  const RunId run_id = *start->session.active_run;
  if_same(run_id, std::move(start), [this](StartPtr other) { prepare(std::move(other)); });
}

void EngineService::if_same(RunId run_id, StartPtr start, UniqueFunction<void(StartPtr)> otherwise) {
  RunHost& host = engine_.shards.of(run_id);
  host.loop().post([this, &host, run_id, start = std::move(start), otherwise = std::move(otherwise)]() mutable {
    const bool same = host.is_same(run_id, start->command.text, engine_.limits.same_text_window);
    loop_.post([same, run_id, start = std::move(start), otherwise = std::move(otherwise)]() mutable {
      same ? start->reply(api::StartedRun{run_id, true}) : otherwise(std::move(start));
    });
  });
}

void EngineService::prepare(StartPtr start) {
  const auto& named = start->command.agent;
  const std::string& name = !named.empty() ? named : start->session.agent;
  start->agent = engine_.agents.find(name.empty() ? engine_.agents.default_for(start->command.contract) : name);
  if (!start->agent) return start->refuse({ErrorCode::kAgentNotFound, "There is no agent named " + name, {}});
  // A user over the budget may still mean a run of before, by its key; that is for the store to say.
  if (!start->place) start->place = engine_.budgets.take(start->caller, loop_.clock().mono());
  const bool over_budget = !start->place->has_value();
  if (over_budget && start->command.idempotency_key.empty()) return start->refuse(start->place->error());
  if (start->files || start->command.files.empty() || over_budget) return make_run(std::move(start));
  const SessionId session_id = start->session.id;
  auto files = std::exchange(start->command.files, {});
  api::Reply<KeptFiles> then = [this, start = std::move(start)](Result<KeptFiles> kept) mutable {
    if (!kept) return start->refuse(std::move(kept.error()));
    start->files = std::move(*kept);
    make_run(std::move(start));
  };
  on_pool(std::move(then), [this, session_id, files = std::move(files)] {
    return keep_files(engine_.workspace, session_id, files, engine_.limits);
  });
}

void EngineService::make_run(StartPtr start) {
  const api::StartRun& command = start->command;
  const api::Session& session = start->session;
  // The run lives on the thread that took the request: its client is here already.
  RunId id = host_.ids().make<RunId>();
  while (&engine_.shards.of(id) != &host_) id = host_.ids().make<RunId>();
  const WallTime now = loop_.clock().wall();
  RunQueued queued = make_queued(command, session, *start->agent,
                                 start->files ? start->files->attachments : std::vector<Attachment>());
  RunStarted started =
      make_started(queued, {session.title, session.message_count, start->tasks}, *start->agent, host_.ids());
  std::vector<RunEvent> events;
  events.reserve(kFirstEvents);
  events.push_back({{1}, now, 0, std::move(queued)});
  events.push_back({{2}, now, 0, std::move(started)});
  const SessionPolicy policy{session.auto_approve, session.approved_tools};
  RunState state;
  for (const auto& event : events) state.apply(event);
  RunMachine machine(start->agent, engine_.limits, policy, host_.ids(), std::move(state));
  NewRun write = make_new_run(command, session, id, engine_.owner, std::move(events), machine);
  write.waiting_max = static_cast<std::uint32_t>(engine_.limits.waiting_turns_max);
  // Without a pending task only an earlier run of the same key can be meant; the store looks at that first.
  write.may_begin = start->place->has_value() && start->has_work();
  if (uses_tasks(command.way, *start->agent)) write.expected_task_version = session.task_version;
  if (start->is_new) {
    write.new_session = session;
    write.key_scope.user_id = session.user_id;
  } else {
    write.key_scope.session_id = session.id;
  }
  RunHost::Admission admission;
  admission.run_id = id;
  admission.records = write.records;
  admission.state = std::move(machine).take_state();
  admission.agent = start->agent;
  admission.policy = policy;
  admission.history = std::move(start->history);
  const bool is_over = braidlog::is_over(write.run.status);
  const std::size_t first_record_bytes = write.first_record_bytes;
  submit_one(engine_.store, std::move(write), loop_,
             [this, start = std::move(start), admission = std::move(admission), is_over,
              first_record_bytes](Result<WriteOutcome> written) mutable {
               if (written && written->waits) {
                 admission.records.resize(first_record_bytes);
                 admission.state.reset();
               }
               run_written(std::move(start), std::move(admission), is_over, std::move(written));
             });
}

void EngineService::run_written(StartPtr start, RunHost::Admission admission, bool is_over,
                                Result<WriteOutcome> written) {
  const bool is_gone = !written && written.error().code == ErrorCode::kSessionNotFound && start->is_from_memory;
  const bool is_fenced = !written && written.error().code == ErrorCode::kFenced;
  if ((is_gone || is_fenced) && start->tries_left-- > 0) {
    // Another thread's clock, or ours of a moment ago, was ahead: this run comes after those that wait.
    if (const auto last = RunId::parse(written.error().subject)) host_.ids().follow(last->value);
    return find_session(std::move(start));
  }
  const bool is_made = written && !written->existing_run;
  if (!is_made && start->files) {
    engine_.pool.run([this, id = start->session.id, is_new = start->is_new, written = start->files->written] {
      // Nobody will ever ask for the files of a session that was not made.
      is_new ? (void)engine_.workspace.remove_all(id) : take_back(engine_.workspace, id, written);
    });
  }
  const bool refused = !written && written.error().code == ErrorCode::kRateLimited;
  if (refused && !start->has_work()) return start->refuse({ErrorCode::kNoPendingTask, "There is no pending task", {}});
  const bool over_budget = refused && !start->place->has_value();
  if (over_budget) return start->refuse(start->place->error());
  if (!written && written.error().code == ErrorCode::kActiveRunExists && start->command.attaches) {
    const auto active = RunId::parse(written.error().subject);
    const Error busy = written.error();
    return if_same(active.value_or(RunId{}), std::move(start), [busy](StartPtr other) { other->refuse(busy); });
  }
  if (!written) return start->refuse(written.error());
  if (written->existing_run) return start->reply(api::StartedRun{*written->existing_run, true});
  const api::StartedRun run{admission.run_id, false};
  // A run that may not take a single step is over already.
  if (is_over && !written->waits) return start->reply(run);
  // The setting may have changed since the session was read; what was acknowledged counts.
  if (!written->waits) admission.policy.auto_approve = written->auto_approve;
  admission.place = std::move(**start->place);
  if (auto admitted = host_.admit(std::move(admission)); !admitted) return start->refuse(admitted.error());
  start->reply(run);
}

}  // namespace braidlog
