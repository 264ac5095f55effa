// Runs and approvals: how one is watched, stopped and answered.
#include "engine/service_support.h"

namespace braidlog {

void EngineService::handle(const api::Caller& caller, api::GetRun query, api::Reply<api::Run> reply) {
  auto show = [caller, query, reply = std::move(reply)](Result<api::Run> run) mutable {
    if (!run) return reply(fail(run.error()));
    const bool other_session = query.session_id && *query.session_id != run->session_id;
    const bool may = query.own ? owned(caller, run->user_id) : visible(caller, run->user_id);
    if (other_session || !may) return reply(run_not_found());
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

void EngineService::handle(const api::Caller& caller, api::FindRuns query, api::Reply<api::FoundRuns> reply) {
  RunQuery wanted;
  wanted.user_id = whose(caller, query.everybody);
  wanted.session_id = query.session_id;
  wanted.status = query.status;
  wanted.agent = std::move(query.agent);
  wanted.words = std::move(query.words);
  wanted.before = query.before;
  wanted.limit = query.limit;
  read_then(
      engine_.store, loop_, [wanted = std::move(wanted)](StoreReader& reader) { return reader.find_runs(wanted); },
      std::move(reply));
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
        engine_.store, loop_,
        [user = whose(caller, query.everybody)](StoreReader& reader) {
          return user ? reader.approvals_of_user(*user) : reader.all_approvals();
        },
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
