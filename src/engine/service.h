// The product's commands and queries (api/service.h) over the store, the runs and the files. One object per
// io thread, on which its replies run; it keeps no state of its own. Commands and queries of clients go through here,
// and visible() and owned() (service_support.h) are the one place that decides who may do what with an object.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "api/service.h"
#include "base/limits.h"
#include "engine/run_host.h"
#include "port/agent_catalog.h"
#include "port/workspace.h"
#include "runlog/store_access.h"

namespace braidlog {

// What all the services of a server share. All references outlive them.
struct Engine {
  StoreAccess& store;
  Shards shards;
  const AgentCatalog& agents;
  Workspace& workspace;
  WorkerPool& pool;
  const Limits& limits;
  std::string owner;                  // this server, as the owner of runs
  std::atomic<bool> draining{false};  // no new runs
};

enum class Want;

class EngineService final : public api::Service {
 public:
  EngineService(Engine& engine, RunHost& host) : engine_(engine), host_(host), loop_(host.loop()) {}

  void handle(const api::Caller&, api::CreateSession, api::Reply<api::Session>) override;
  void handle(const api::Caller&, api::GetSession, api::Reply<api::Session>) override;
  void handle(const api::Caller&, api::ListSessions, api::Reply<api::SessionList>) override;
  void handle(const api::Caller&, api::DeleteSession, api::Reply<api::DeletedSession>) override;
  void handle(const api::Caller&, api::SetAutoApprove, api::Reply<api::AutoApprove>) override;
  void handle(const api::Caller&, api::StartRun, api::Reply<api::StartedRun>) override;
  void handle(const api::Caller&, api::GetRun, api::Reply<api::Run>) override;
  void handle(const api::Caller&, api::ListRuns, api::Reply<api::RunList>) override;
  void handle(const api::Caller&, api::Interrupt, api::Reply<api::Run>) override;
  void handle(const api::Caller&, api::ListApprovals, api::Reply<api::ApprovalList>) override;
  void handle(const api::Caller&, api::Decide, api::Reply<api::Decided>) override;
  void handle(const api::Caller&, api::PutFile, api::Reply<api::FileInfo>) override;
  void handle(const api::Caller&, api::ListFiles, api::Reply<api::FileList>) override;
  void handle(const api::Caller&, api::GetFile, api::Reply<api::FileContent>) override;

 private:
  // Reads the session and gives it to `then` when the caller may see it; else replies kSessionNotFound.
  template <class T, class Then>
  void with_session(const api::Caller& caller, SessionId id, Want want, api::Reply<T> reply, Then then);
  // Does blocking work for the session on the pool and replies with its result.
  template <class T, class Work>
  void on_pool(api::Reply<T> reply, Work work);

  // Places an order and brings it to its run; `done` after the event it led to is durable.
  void order(RunId run_id, RunOrder order, UniqueFunction<void(Status)> done);
  void start_run(const api::Caller& caller, api::StartRun command, int tries_left, api::Reply<api::StartedRun> reply);
  void make_run(const api::Caller& caller, api::StartRun command, api::Session session,
                std::vector<api::Message> history, int tries_left, api::Reply<api::StartedRun> reply);
  void remove_session(SessionId id, api::Reply<api::DeletedSession> reply);
  void tell_hosts(const api::SetAutoApprove& command, api::Reply<api::AutoApprove> reply);

  Engine& engine_;
  RunHost& host_;
  Loop& loop_;
};

// Takes up every run that a crash or a restart left unfinished. Blocks and uses the store's writer: called once, before
// the io threads start. A run whose agent is gone is ended as failed.
Status recover_runs(Engine& engine, RunStore& store);

}  // namespace braidlog
