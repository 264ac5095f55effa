// Sessions, their settings, their end and their files.
#include "engine/service_support.h"

namespace braidlog {

namespace {

constexpr int kDeleteTries = 5;

}  // namespace

api::Session EngineService::make_session(const api::Caller& caller, std::string title, std::string agent,
                                         std::string contract) {
  api::Session session;
  session.id = host_.ids().make<SessionId>();
  session.user_id = caller.user_id;
  session.title = title.empty() ? "New Session" : std::move(title);
  session.agent = agent.empty() ? engine_.agents.default_for(contract) : std::move(agent);
  session.contract = std::move(contract);
  session.created_at = session.updated_at = loop_.clock().wall();
  return session;
}

void EngineService::handle(const api::Caller& caller, api::CreateSession command, api::Reply<api::Session> reply) {
  if (!command.agent.empty() && engine_.agents.find(command.agent) == nullptr) {
    return reply(fail(ErrorCode::kAgentNotFound, "There is no agent named " + command.agent));
  }
  const bool names_none = command.agent.empty();
  api::Session session = make_session(caller, std::move(command.title), std::move(command.agent), command.contract);
  if (names_none && !command.fixes_agent) session.agent.clear();
  session.auto_approve = command.auto_approve;
  engine_.fresh_sessions.add(session);
  submit_one(engine_.store, NewSession{session}, loop_,
             [this, session, reply = std::move(reply)](Result<WriteOutcome> written) mutable {
               if (written) return reply(std::move(session));
               engine_.fresh_sessions.forget(session.id);
               reply(fail(written.error()));
             });
}

void EngineService::handle(const api::Caller& caller, api::GetSession query, api::Reply<api::Session> reply) {
  with_session(caller, query.id, Want::kRead, std::move(reply),
               [](api::Session session, api::Reply<api::Session> reply) { reply(std::move(session)); });
}

void EngineService::handle(const api::Caller& caller, api::ListSessions query, api::Reply<api::SessionList> reply) {
  StoreReader::SessionQuery wanted{whose(caller, query.everybody), query.limit, query.offset};
  wanted.status = query.status;
  read_then(
      engine_.store, loop_, [wanted = std::move(wanted)](StoreReader& reader) { return reader.sessions(wanted); },
      std::move(reply));
}

void EngineService::handle(const api::Caller& caller, api::RenameSession command, api::Reply<api::Session> reply) {
  with_session(caller, command.id, Want::kWrite, std::move(reply),
               [this, caller, command = std::move(command)](const api::Session&, api::Reply<api::Session> reply) {
                 SetSession write;
                 write.id = command.id;
                 write.title = command.title;
                 engine_.fresh_sessions.forget(command.id);
                 write.updated_at = loop_.clock().wall();
                 submit_one(engine_.store, std::move(write), loop_,
                            [this, caller, command, reply = std::move(reply)](Result<WriteOutcome> written) mutable {
                              if (!written) return reply(fail(written.error()));
                              tell_hosts([command](RunHost& host) { host.set_title(command.id, command.title); },
                                         [this, caller, id = command.id, reply = std::move(reply)]() mutable {
                                           handle(caller, api::GetSession{id}, std::move(reply));
                                         });
                            });
               });
}

void EngineService::handle(const api::Caller& caller, api::SetAutoApprove command, api::Reply<api::AutoApprove> reply) {
  with_session(caller, command.id, Want::kWrite, std::move(reply),
               [this, command](const api::Session&, api::Reply<api::AutoApprove> reply) {
                 SetSession write;
                 write.id = command.id;
                 write.auto_approve = command.enabled;
                 engine_.fresh_sessions.forget(command.id);
                 write.updated_at = loop_.clock().wall();
                 submit_one(
                     engine_.store, std::move(write), loop_,
                     [this, command, reply = std::move(reply)](Result<WriteOutcome> written) mutable {
                       if (!written) return reply(fail(written.error()));
                       tell_hosts(
                           [command](RunHost& host) { host.set_auto_approve(command.id, command.enabled); },
                           [command, reply = std::move(reply)]() mutable { reply(api::AutoApprove{command.enabled}); });
                     });
               });
}

// Whoever was told of a change may count on it, so every thread hears of it first.
void EngineService::tell_hosts(std::function<void(RunHost&)> tell, UniqueFunction<void()> then) {
  struct Waiting {
    std::size_t hosts;
    UniqueFunction<void()> then;
  };
  // Shared by the answers of the hosts, and touched on this loop only.
  auto waiting = std::make_shared<Waiting>(Waiting{engine_.shards.all().size(), std::move(then)});
  for (RunHost* host : engine_.shards.all()) {
    host->loop().post([this, host, tell, waiting] {
      tell(*host);
      loop_.post([waiting] {
        if (--waiting->hosts == 0) waiting->then();
      });
    });
  }
}

// ---- deletion ----

void EngineService::handle(const api::Caller& caller, api::DeleteSession command,
                           api::Reply<api::DeletedSession> reply) {
  delete_session(caller, command.id, kDeleteTries, std::move(reply));
}

void EngineService::delete_session(const api::Caller& caller, SessionId id, int tries_left,
                                   api::Reply<api::DeletedSession> reply) {
  with_session(caller, id, Want::kWrite, std::move(reply),
               [this, caller, tries_left](const api::Session& session, api::Reply<api::DeletedSession> reply) {
                 const SessionId id = session.id;
                 if (!session.active_run) return remove_session(caller, id, tries_left, std::move(reply));
                 read_then(
                     engine_.store, loop_, [id](StoreReader& reader) { return reader.runs(id); },
                     [this, caller, id, tries_left, reply = std::move(reply)](Result<api::RunList> runs) mutable {
                       if (!runs) return reply(fail(runs.error()));
                       std::erase_if(*runs, [](const api::Run& run) { return is_over(run.status); });
                       stop_runs(caller, id, *runs, tries_left, std::move(reply));
                     });
               });
}

void EngineService::stop_runs(const api::Caller& caller, SessionId id, const api::RunList& runs, int tries_left,
                              api::Reply<api::DeletedSession> reply) {
  if (runs.empty()) return remove_session(caller, id, tries_left, std::move(reply));
  struct Waiting {
    std::size_t runs;
    Status worst;
    UniqueFunction<void(Status)> then;
  };
  // Shared by what becomes of each run, and touched on this loop only.
  auto waiting = std::make_shared<Waiting>();
  waiting->runs = runs.size();
  waiting->then = [this, caller, id, tries_left, reply = std::move(reply)](Status stopped) mutable {
    stopped ? remove_session(caller, id, tries_left, std::move(reply)) : reply(fail(stopped.error()));
  };
  const auto one_less = [waiting](Status status) {
    if (!status) waiting->worst = std::move(status);
    if (--waiting->runs == 0) waiting->then(waiting->worst);
  };
  // Those that wait go first, so that none of them begins because the one at work has ended.
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) stop_run(caller, run->id, "session_deleted", one_less);
}

void EngineService::stop_run(const api::Caller& caller, RunId run_id, std::string reason,
                             UniqueFunction<void(Status)> over) {
  RunOrder stop;
  stop.user_id = caller.user_id;
  stop.reason = std::move(reason);
  order(run_id, std::move(stop), [this, run_id, over = std::move(over)](Status placed) mutable {
    const auto code = placed ? ErrorCode::kInvalidState : placed.error().code;
    if (code != ErrorCode::kInvalidState && code != ErrorCode::kAlreadyDecided) return over(std::move(placed));
    // Whether the order was taken or the run was told before: it ends.
    RunHost& host = engine_.shards.of(run_id);
    host.loop().post([this, &host, run_id, over = std::move(over)]() mutable {
      host.when_over(run_id, [this, over = std::move(over)]() mutable {
        loop_.post([over = std::move(over)]() mutable { over({}); });
      });
    });
  });
}

void EngineService::remove_session(const api::Caller& caller, SessionId id, int tries_left,
                                   api::Reply<api::DeletedSession> reply) {
  engine_.fresh_sessions.forget(id);
  submit_one(engine_.store, RemoveSession{id}, loop_,
             [this, caller, id, tries_left, reply = std::move(reply)](Result<WriteOutcome> removed) mutable {
               // A run began in between.
               if (!removed && removed.error().code == ErrorCode::kInvalidState && tries_left > 0) {
                 return delete_session(caller, id, tries_left - 1, std::move(reply));
               }
               if (!removed) return reply(fail(removed.error()));
               on_pool(std::move(reply), [this, id]() -> Result<api::DeletedSession> {
                 if (auto cleared = engine_.workspace.remove_all(id); !cleared) return fail(cleared.error());
                 return api::DeletedSession{};
               });
             });
}

void EngineService::handle(const api::Caller& caller, api::PutFile command, api::Reply<api::FileInfo> reply) {
  with_session(caller, command.session_id, Want::kWrite, std::move(reply),
               [this, command = std::move(command)](const api::Session&, api::Reply<api::FileInfo> reply) mutable {
                 on_pool(std::move(reply), [this, command = std::move(command)] {
                   return engine_.workspace.write(command.session_id, command.path, command.content);
                 });
               });
}

void EngineService::handle(const api::Caller& caller, api::ListFiles query, api::Reply<api::FileList> reply) {
  with_session(caller, query.session_id, Want::kRead, std::move(reply),
               [this](const api::Session& session, api::Reply<api::FileList> reply) {
                 on_pool(std::move(reply), [this, id = session.id] { return engine_.workspace.list(id); });
               });
}

void EngineService::handle(const api::Caller& caller, api::GetFile query, api::Reply<api::FileContent> reply) {
  with_session(caller, query.session_id, Want::kRead, std::move(reply),
               [this, query](const api::Session&, api::Reply<api::FileContent> reply) {
                 on_pool(std::move(reply), [this, query] {
                   return engine_.workspace.read(query.session_id, query.path, engine_.limits.workspace_file_bytes_max);
                 });
               });
}

}  // namespace braidlog
