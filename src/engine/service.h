// The product's commands and queries (api/service.h) over the store, the runs and the files. One object per
// io thread, on which its replies run; it keeps no state of its own. Commands and queries of clients go through here,
// and visible() and owned() (service_support.h) are the one place that decides who may do what with an object.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/service.h"
#include "base/limits.h"
#include "engine/fresh_sessions.h"
#include "engine/run_host.h"
#include "engine/user_budgets.h"
#include "port/accounts.h"
#include "port/agent_catalog.h"
#include "port/server_status.h"
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
  std::string owner;                     // this server, as the owner of runs
  std::atomic<bool> draining{false};     // no new runs
  Accounts* accounts = nullptr;          // null: nobody can log in
  const ServerStatus* status = nullptr;  // null: nobody knows
  UserBudgets budgets{limits};
  FreshSessions fresh_sessions{};
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
  void handle(const api::Caller&, api::RenameSession, api::Reply<api::Session>) override;
  void handle(const api::Caller&, api::GetConversation, api::Reply<api::Conversation>) override;
  void handle(const api::Caller&, api::ListConversations, api::Reply<api::ConversationPage>) override;
  void handle(const api::Caller&, api::StartRun, api::Reply<api::StartedRun>) override;
  void handle(const api::Caller&, api::GetRun, api::Reply<api::Run>) override;
  void handle(const api::Caller&, api::ListRuns, api::Reply<api::RunList>) override;
  void handle(const api::Caller&, api::FindRuns, api::Reply<api::FoundRuns>) override;
  void handle(const api::Caller&, api::Interrupt, api::Reply<api::Run>) override;
  void handle(const api::Caller&, api::ListApprovals, api::Reply<api::ApprovalList>) override;
  void handle(const api::Caller&, api::Decide, api::Reply<api::Decided>) override;
  void handle(const api::Caller&, api::PutFile, api::Reply<api::FileInfo>) override;
  void handle(const api::Caller&, api::ListFiles, api::Reply<api::FileList>) override;
  void handle(const api::Caller&, api::GetFile, api::Reply<api::FileContent>) override;
  void handle(const api::Caller&, api::LogIn, api::Reply<api::LoggedIn>) override;
  void handle(const api::Caller&, api::LogOut, api::Reply<api::LoggedOut>) override;
  void handle(const api::Caller&, api::GetMe, api::Reply<api::Me>) override;
  void handle(const api::Caller&, api::GetAgent, api::Reply<api::Agent>) override;
  void handle(const api::Caller&, api::ListAgents, api::Reply<api::AgentsInfo>) override;
  void handle(const api::Caller&, api::GetSystem, api::Reply<api::ServerFigures>) override;
  void handle(const api::Caller&, api::ListAlerts, api::Reply<api::AlertList>) override;
  void handle(const api::Caller&, api::GetWholeSession, api::Reply<api::WholeSession>) override;
  void handle(const api::Caller&, api::ListTasks, api::Reply<api::TaskList>) override;
  void handle(const api::Caller&, api::GetTask, api::Reply<api::Task>) override;
  void handle(const api::Caller&, api::ListArtifacts, api::Reply<api::ArtifactList>) override;
  void handle(const api::Caller&, api::GetArtifact, api::Reply<api::Artifact>) override;
  void handle(const api::Caller&, api::DeleteArtifact, api::Reply<api::DeletedArtifact>) override;
  void handle(const api::Caller&, api::ListDataItems, api::Reply<api::DataItemList>) override;
  void handle(const api::Caller&, api::GetDataItem, api::Reply<api::DataItem>) override;
  void handle(const api::Caller&, api::ListSteps, api::Reply<api::StepList>) override;

 private:
  // Reads the session and gives it to `then` when the caller may see it; else replies kSessionNotFound.
  template <class T, class Then>
  void with_session(const api::Caller& caller, SessionId id, Want want, api::Reply<T> reply, Then then);
  // Replies with what `read(StoreReader&)` finds in a session that the caller may see.
  template <class T, class Read>
  void read_in_session(const api::Caller& caller, SessionId id, api::Reply<T> reply, Read read);
  // Does blocking work for the session on the pool and replies with its result.
  template <class T, class Work>
  void on_pool(api::Reply<T> reply, Work work);

  // Places an order and brings it to its run; `done` after the event it led to is durable.
  void order(RunId run_id, RunOrder order, UniqueFunction<void(Status)> done);

  // The way of a StartRun: its session, the run it may mean already, its agent and files, then the run
  // (service_start.cpp).
  struct Start;
  using StartPtr = std::unique_ptr<Start>;
  void find_session(StartPtr start);
  void take_new_session(StartPtr start);
  void look_for_same(StartPtr start);
  // Replies with the run when it says the same and began just now; else goes on.
  void if_same(RunId run_id, StartPtr start, UniqueFunction<void(StartPtr)> otherwise);
  void prepare(StartPtr start);
  void make_run(StartPtr start);
  void run_written(StartPtr start, RunHost::Admission admission, bool is_over, Result<WriteOutcome> written);

  // A new session of the caller, not stored yet.
  api::Session make_session(const api::Caller& caller, std::string title, std::string agent, std::string contract);
  // Ends every run of the session that is not over, and then removes it.
  void stop_run(const api::Caller& caller, RunId run_id, std::string reason, UniqueFunction<void(Status)> over);
  void stop_runs(const api::Caller& caller, SessionId id, const api::RunList& runs, int tries_left,
                 api::Reply<api::DeletedSession> reply);
  void delete_session(const api::Caller& caller, SessionId id, int tries_left, api::Reply<api::DeletedSession> reply);
  void remove_session(const api::Caller& caller, SessionId id, int tries_left, api::Reply<api::DeletedSession> reply);
  // The run that is under way may end between two looks; then it is looked for again.
  static constexpr int kStepTries = 5;
  void collect_steps(SessionId id, int tries_left, api::Reply<api::StepList> reply);
  void tell_hosts(std::function<void(RunHost&)> tell, UniqueFunction<void()> then);

  Engine& engine_;
  RunHost& host_;
  Loop& loop_;
};

// Lets the end of a run begin the turn of the next one of its session, on whatever thread that lives. Before the first
// run.
void pass_on_turns(Engine& engine);

// Takes up every run that a crash or a restart left unfinished. Blocks and uses the store's writer: called once, before
// the io threads start. A run whose agent is gone is ended as failed.
Status recover_runs(Engine& engine, RunStore& store);

}  // namespace braidlog
