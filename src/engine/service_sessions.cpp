// Sessions, their settings, their files, and the list of agents.
#include "engine/service_support.h"

namespace braidlog {

void EngineService::handle(const api::Caller& caller, api::CreateSession command, api::Reply<api::Session> reply) {
  if (!command.agent.empty() && engine_.agents.find(command.agent) == nullptr) {
    return reply(fail(ErrorCode::kAgentNotFound, "There is no agent named " + command.agent));
  }
  api::Session session;
  session.id = host_.ids().make<SessionId>();
  session.user_id = caller.user_id;
  session.title = command.title.empty() ? "New Session" : std::move(command.title);
  session.agent = command.agent.empty() ? engine_.agents.default_for(command.contract) : std::move(command.agent);
  session.contract = std::move(command.contract);
  session.auto_approve = command.auto_approve;
  session.created_at = session.updated_at = loop_.clock().wall();
  submit_one(engine_.store, NewSession{session}, loop_,
             [session, reply = std::move(reply)](Result<WriteOutcome> written) mutable {
               written ? reply(std::move(session)) : reply(fail(written.error()));
             });
}

void EngineService::handle(const api::Caller& caller, api::GetSession query, api::Reply<api::Session> reply) {
  with_session(caller, query.id, Want::kRead, std::move(reply),
               [](api::Session session, api::Reply<api::Session> reply) { reply(std::move(session)); });
}

void EngineService::handle(const api::Caller& caller, api::ListSessions query, api::Reply<api::SessionList> reply) {
  read_then(
      engine_.store, loop_,
      [user = caller.user_id, query](StoreReader& reader) { return reader.sessions(user, query.limit, query.offset); },
      std::move(reply));
}

void EngineService::handle(const api::Caller& caller, api::SetAutoApprove command, api::Reply<api::AutoApprove> reply) {
  with_session(caller, command.id, Want::kWrite, std::move(reply),
               [this, command](const api::Session&, api::Reply<api::AutoApprove> reply) {
                 SetSession write;
                 write.id = command.id;
                 write.auto_approve = command.enabled;
                 write.updated_at = loop_.clock().wall();
                 submit_one(engine_.store, std::move(write), loop_,
                            [this, command, reply = std::move(reply)](Result<WriteOutcome> written) mutable {
                              if (!written) return reply(fail(written.error()));
                              tell_hosts(command, std::move(reply));
                            });
               });
}

// Replies when every thread has heard it: a client that was told "off" may count on it.
void EngineService::tell_hosts(const api::SetAutoApprove& command, api::Reply<api::AutoApprove> reply) {
  struct Waiting {
    std::size_t hosts;
    api::Reply<api::AutoApprove> reply;
  };
  // Shared by the answers of the hosts, and touched on this loop only.
  auto waiting = std::make_shared<Waiting>(Waiting{engine_.shards.all().size(), std::move(reply)});
  for (RunHost* host : engine_.shards.all()) {
    host->loop().post([this, host, command, waiting] {
      host->set_auto_approve(command.id, command.enabled);
      loop_.post([command, waiting] {
        if (--waiting->hosts == 0) waiting->reply(api::AutoApprove{command.enabled});
      });
    });
  }
}

void EngineService::handle(const api::Caller& caller, api::DeleteSession command,
                           api::Reply<api::DeletedSession> reply) {
  with_session(
      caller, command.id, Want::kWrite, std::move(reply),
      [this, caller](const api::Session& session, api::Reply<api::DeletedSession> reply) {
        if (!session.active_run) return remove_session(session.id, std::move(reply));
        RunOrder stop;
        stop.user_id = caller.user_id;
        stop.reason = "session_deleted";
        const RunId run = *session.active_run;
        order(
            run, std::move(stop), [this, run, id = session.id, reply = std::move(reply)](const Status& placed) mutable {
              const auto code = placed ? ErrorCode::kInvalidState : placed.error().code;
              if (code != ErrorCode::kInvalidState && code != ErrorCode::kAlreadyDecided)
                return reply(fail(placed.error()));
              // Whether the order was taken or the run was over by then: it ends, and then the
              // session goes.
              RunHost& host = engine_.shards.of(run);
              host.loop().post([this, &host, run, id, reply = std::move(reply)]() mutable {
                host.when_over(run, [this, id, reply = std::move(reply)]() mutable {
                  loop_.post([this, id, reply = std::move(reply)]() mutable { remove_session(id, std::move(reply)); });
                });
              });
            });
      });
}

void EngineService::remove_session(SessionId id, api::Reply<api::DeletedSession> reply) {
  submit_one(engine_.store, RemoveSession{id}, loop_,
             [this, id, reply = std::move(reply)](Result<WriteOutcome> removed) mutable {
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
