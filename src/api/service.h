// Everything a client can ask of the product, in no contract's words. Dialects turn requests into these commands and
// queries and their results into bodies; the engine implements them and decides who may see what: an object of
// another user is answered as not found.
//
// Runs on: any io thread. The reply comes later, on the same thread that asked, exactly once; it is dropped only
// when the server stops.
#pragma once

#include "api/account.h"
#include "api/agent.h"
#include "api/alert.h"
#include "api/caller.h"
#include "api/file.h"
#include "api/run.h"
#include "api/session.h"
#include "api/system.h"
#include "api/task.h"
#include "base/result.h"
#include "base/unique_function.h"

namespace braidlog::api {

template <class T>
using Reply = UniqueFunction<void(Result<T>)>;

class Service {
 public:
  virtual ~Service() = default;

  virtual void handle(const Caller&, CreateSession, Reply<Session>) = 0;
  virtual void handle(const Caller&, GetSession, Reply<Session>) = 0;
  virtual void handle(const Caller&, ListSessions, Reply<SessionList>) = 0;
  // A live run of the session ends interrupted, reason session_deleted.
  virtual void handle(const Caller&, DeleteSession, Reply<DeletedSession>) = 0;
  virtual void handle(const Caller&, SetAutoApprove, Reply<AutoApprove>) = 0;

  virtual void handle(const Caller&, RenameSession, Reply<Session>) = 0;
  virtual void handle(const Caller&, GetConversation, Reply<Conversation>) = 0;
  virtual void handle(const Caller&, ListConversations, Reply<ConversationPage>) = 0;

  virtual void handle(const Caller&, GetWholeSession, Reply<WholeSession>) = 0;

  virtual void handle(const Caller&, ListTasks, Reply<TaskList>) = 0;
  virtual void handle(const Caller&, GetTask, Reply<Task>) = 0;
  virtual void handle(const Caller&, ListArtifacts, Reply<ArtifactList>) = 0;
  virtual void handle(const Caller&, GetArtifact, Reply<Artifact>) = 0;
  virtual void handle(const Caller&, DeleteArtifact, Reply<DeletedArtifact>) = 0;
  virtual void handle(const Caller&, ListDataItems, Reply<DataItemList>) = 0;
  virtual void handle(const Caller&, GetDataItem, Reply<DataItem>) = 0;
  virtual void handle(const Caller&, ListSteps, Reply<StepList>) = 0;

  // Replies once the run is durable, before its model is called. kActiveRunExists, kIdempotencyConflict,
  // kAgentNotFound, kUnavailable; to execute: kNoPendingTask.
  virtual void handle(const Caller&, StartRun, Reply<StartedRun>) = 0;
  virtual void handle(const Caller&, GetRun, Reply<Run>) = 0;
  virtual void handle(const Caller&, ListRuns, Reply<RunList>) = 0;
  virtual void handle(const Caller&, FindRuns, Reply<FoundRuns>) = 0;
  // Replies once the order is durable: the run as it was then, kInterrupting or already over.
  virtual void handle(const Caller&, Interrupt, Reply<Run>) = 0;

  virtual void handle(const Caller&, ListApprovals, Reply<ApprovalList>) = 0;
  // Replies once the decision is durable. kInvalidState when the run is over (looked at first), kAlreadyDecided.
  virtual void handle(const Caller&, Decide, Reply<Decided>) = 0;

  virtual void handle(const Caller&, PutFile, Reply<FileInfo>) = 0;
  virtual void handle(const Caller&, ListFiles, Reply<FileList>) = 0;
  virtual void handle(const Caller&, GetFile, Reply<FileContent>) = 0;

  virtual void handle(const Caller&, LogIn, Reply<LoggedIn>) = 0;
  virtual void handle(const Caller&, LogOut, Reply<LoggedOut>) = 0;
  virtual void handle(const Caller&, GetMe, Reply<Me>) = 0;
  virtual void handle(const Caller&, ListAlerts, Reply<AlertList>) = 0;
  virtual void handle(const Caller&, GetAgent, Reply<Agent>) = 0;
  virtual void handle(const Caller&, ListAgents, Reply<AgentsInfo>) = 0;
  virtual void handle(const Caller&, GetSystem, Reply<ServerFigures>) = 0;
};

}  // namespace braidlog::api
