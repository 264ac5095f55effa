// Runs and approvals: how one is started, watched, stopped and answered.
#include "base/log.h"
#include "engine/effects.h"
#include "engine/service_support.h"
#include "event/encoding.h"

namespace braidlog {

namespace {

// A session's message count was read before the run was made; another run may have come and gone in between.
constexpr int kStartTries = 5;

struct SessionAndHistory {
  api::Session session;
  std::vector<api::Message> history;
};

Result<SessionAndHistory> read_session(StoreReader& reader, SessionId id) {
  auto session = reader.session(id);
  if (!session) return fail(session.error());
  auto history = reader.messages(id, session->message_count);
  if (!history) return fail(history.error());
  return SessionAndHistory{std::move(*session), std::move(*history)};
}

// The first events of a run: accepted, and begun.
std::vector<RunEvent> first_events(const api::StartRun& command, const api::Session& session,
                                   const RunnableAgent& agent, IdSource& ids, WallTime now) {
  RunStarted started;
  started.session_id = session.id;
  started.user_id = session.user_id;
  started.contract = command.contract;
  started.agent = agent.agent.name;
  started.agent_version = agent.agent.version;
  started.tool_names = agent.agent.tools;
  started.title = session.title;
  started.text = command.text;
  started.user_message_id = ids.make<MessageId>();
  started.assistant_message_id = ids.make<MessageId>();
  started.message_position = session.message_count + (command.text.empty() ? 0 : 1);
  RunQueued queued{session.id,       session.user_id, command.contract, command.way,
                   agent.agent.name, command.text,    command.context};
  return {{{1}, now, 0, std::move(queued)}, {{2}, now, 0, std::move(started)}};
}

// The run with its first events. What the machine makes of its beginning is among them, so that a run costs one commit
// before the model is called, not two.
NewRun make_new_run(const api::StartRun& command, const api::Session& session, RunId id, const std::string& owner,
                    std::vector<RunEvent> events, RunMachine machine) {
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
  write.owner = owner;
  for (auto& event : machine.handle(Begin{}, {events[0].at, 0}).events) events.push_back(std::move(event));
  for (const auto& event : events) append_record(write.records, event);
  write.record_count = static_cast<std::uint32_t>(events.size());
  write.effects = effects_of(id, machine.state(), events);
  write.run.status = write.effects.status;
  write.run.started_at = write.effects.started_at;
  write.run.last = machine.state().last;
  return write;
}

}  // namespace

void EngineService::handle(const api::Caller& caller, api::StartRun command, api::Reply<api::StartedRun> reply) {
  start_run(caller, std::move(command), kStartTries, std::move(reply));
}

void EngineService::start_run(const api::Caller& caller, api::StartRun command, int tries_left,
                              api::Reply<api::StartedRun> reply) {
  if (engine_.draining) return reply(fail(ErrorCode::kUnavailable, "The server is stopping"));
  read_then(
      engine_.store, loop_, [id = command.session_id](StoreReader& reader) { return read_session(reader, id); },
      [this, caller, command = std::move(command), tries_left,
       reply = std::move(reply)](Result<SessionAndHistory> found) mutable {
        if (!found) return reply(fail(found.error()));
        if (!owned(caller, found->session.user_id)) return reply(session_not_found());
        make_run(caller, std::move(command), std::move(found->session), std::move(found->history), tries_left,
                 std::move(reply));
      });
}

void EngineService::make_run(const api::Caller& caller, api::StartRun command, api::Session session,
                             std::vector<api::Message> history, int tries_left, api::Reply<api::StartedRun> reply) {
  const std::string& name = !command.agent.empty() ? command.agent : session.agent;
  const auto agent = engine_.agents.find(name.empty() ? engine_.agents.default_for(command.contract) : name);
  if (!agent) return reply(fail(ErrorCode::kAgentNotFound, "There is no agent named " + name));
  // The run lives on the thread that took the request: its client is here already.
  RunId id = host_.ids().make<RunId>();
  while (&engine_.shards.of(id) != &host_) id = host_.ids().make<RunId>();
  auto events = first_events(command, session, *agent, host_.ids(), loop_.clock().wall());
  const SessionPolicy policy{session.auto_approve, session.approved_tools};
  RunState state;
  for (const auto& event : events) state.apply(event);
  RunMachine machine(agent, engine_.limits, policy, host_.ids(), std::move(state));
  NewRun write = make_new_run(command, session, id, engine_.owner, std::move(events), std::move(machine));
  RunHost::Admission admission;
  admission.run_id = id;
  admission.records = write.records;
  admission.agent = agent;
  admission.policy = policy;
  admission.history = std::move(history);
  const bool is_over = braidlog::is_over(write.run.status);
  submit_one(engine_.store, std::move(write), loop_,
             [this, id, is_over, caller, command = std::move(command), tries_left, admission = std::move(admission),
              reply = std::move(reply)](Result<WriteOutcome> written) mutable {
               if (!written && written.error().code == ErrorCode::kFenced && tries_left > 0) {
                 return start_run(caller, std::move(command), tries_left - 1, std::move(reply));
               }
               if (!written) return reply(fail(written.error()));
               if (written->existing_run) return reply(api::StartedRun{*written->existing_run, true});
               // The setting may have changed since the session was read; what was acknowledged counts.
               admission.policy.auto_approve = written->auto_approve;
               // A run that may not take a single step is over already.
               if (is_over) return reply(api::StartedRun{id, false});
               if (auto admitted = host_.admit(std::move(admission)); !admitted) return reply(fail(admitted.error()));
               reply(api::StartedRun{id, false});
             });
}

void EngineService::handle(const api::Caller& caller, api::GetRun query, api::Reply<api::Run> reply) {
  auto show = [caller, query, reply = std::move(reply)](Result<api::Run> run) mutable {
    if (!run) return reply(fail(run.error()));
    const bool other_session = query.session_id && *query.session_id != run->session_id;
    if (other_session || !visible(caller, run->user_id)) return reply(run_not_found());
    reply(std::move(run));
  };
  if (auto live = host_.look(query.id)) return show(std::move(*live));
  read_then(
      engine_.store, loop_, [id = query.id](StoreReader& reader) { return reader.run(id); }, std::move(show));
}

void EngineService::handle(const api::Caller& caller, api::ListRuns query, api::Reply<api::RunList> reply) {
  with_session(caller, query.session_id, Want::kRead, std::move(reply),
               [this](const api::Session& session, api::Reply<api::RunList> reply) {
                 read_then(
                     engine_.store, loop_, [id = session.id](StoreReader& reader) { return reader.runs(id); },
                     std::move(reply));
               });
}

void EngineService::order(RunId run_id, RunOrder order, UniqueFunction<void(Status)> done) {
  submit_one(
      engine_.store, PlaceOrder{run_id, order}, loop_,
      [this, run_id, order, done = std::move(done)](Result<WriteOutcome> placed) mutable {
        if (!placed) return done(fail(placed.error()));
        order.id = placed->order_id;
        RunHost& host = engine_.shards.of(run_id);
        host.loop().post([this, &host, run_id, order = std::move(order), done = std::move(done)]() mutable {
          host.deliver(run_id, std::move(order), [this, done = std::move(done)](Status status) mutable {
            loop_.post([status = std::move(status), done = std::move(done)]() mutable { done(std::move(status)); });
          });
        });
      });
}

void EngineService::handle(const api::Caller& caller, api::Interrupt command, api::Reply<api::Run> reply) {
  handle(caller, api::GetRun{command.id, command.session_id},
         [this, caller, command, reply = std::move(reply)](Result<api::Run> run) mutable {
           if (!run || is_over(run->status)) return reply(std::move(run));
           if (!owned(caller, run->user_id)) return reply(run_not_found());
           RunOrder stop;
           stop.user_id = caller.user_id;
           stop.reason = command.reason;
           order(command.id, std::move(stop),
                 [this, caller, command, run = std::move(*run), reply = std::move(reply)](Status placed) mutable {
                   // Over meanwhile, or told to stop before: the run's own word counts.
                   const auto code = placed ? ErrorCode::kInternal : placed.error().code;
                   if (code == ErrorCode::kInvalidState || code == ErrorCode::kAlreadyDecided) {
                     return handle(caller, api::GetRun{command.id, command.session_id}, std::move(reply));
                   }
                   if (!placed) return reply(fail(placed.error()));
                   run.status = RunStatus::kInterrupting;
                   reply(std::move(run));
                 });
         });
}

void EngineService::handle(const api::Caller& caller, api::ListApprovals query, api::Reply<api::ApprovalList> reply) {
  if (!query.session_id) {
    return read_then(
        engine_.store, loop_, [user = caller.user_id](StoreReader& reader) { return reader.approvals_of_user(user); },
        std::move(reply));
  }
  with_session(caller, *query.session_id, Want::kRead, std::move(reply),
               [this](const api::Session& session, api::Reply<api::ApprovalList> reply) {
                 read_then(
                     engine_.store, loop_, [id = session.id](StoreReader& reader) { return reader.approvals(id); },
                     std::move(reply));
               });
}

void EngineService::handle(const api::Caller& caller, api::Decide command, api::Reply<api::Decided> reply) {
  with_session(
      caller, command.session_id, Want::kRead, std::move(reply),
      [this, caller, command](const api::Session& session, api::Reply<api::Decided> reply) {
        read_then(
            engine_.store, loop_, [id = command.approval_id](StoreReader& reader) { return reader.approval(id); },
            [this, caller, command, session_id = session.id,
             reply = std::move(reply)](Result<api::Approval> approval) mutable {
              if (!approval || approval->session_id != session_id) return reply(approval_not_found());
              RunOrder decision;
              decision.kind = RunOrder::Kind::kDecide;
              decision.user_id = caller.user_id;
              decision.reason = command.reason;
              decision.approval_id = command.approval_id;
              decision.verdict = command.verdict;
              decision.apply_to_future = command.apply_to_future;
              const api::Decided decided{command.approval_id, approval->run_id, command.verdict};
              order(approval->run_id, std::move(decision), [decided, reply = std::move(reply)](Status status) mutable {
                status ? reply(decided) : reply(fail(status.error()));
              });
            });
      });
}

}  // namespace braidlog
