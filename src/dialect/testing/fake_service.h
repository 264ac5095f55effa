// An api::Service that answers what a test told it to, at once, and remembers what it was asked. A command
// without a prepared reply is answered with kInternal.
//
//   FakeService service;
//   service.reply<api::GetRun>(run);
//   … service.asked<api::GetRun>().at(0).id …
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "api/service.h"

namespace braidlog::testing {

class FakeService final : public api::Service {
 public:
  template <class Command>
  void reply(Result<typename Command::ReplyValue> result) {
    std::get<Slot<Command>>(slots_).reply = std::move(result);
  }
  template <class Command>
  const std::vector<Command>& asked() const {
    return std::get<Slot<Command>>(slots_).asked;
  }
  // Of all kinds together.
  std::size_t asked_count() const { return callers_.size(); }
  const std::vector<api::Caller>& callers() const { return callers_; }

  void handle(const api::Caller& c, api::CreateSession q, api::Reply<api::Session> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::GetSession q, api::Reply<api::Session> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::ListSessions q, api::Reply<api::SessionList> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::DeleteSession q, api::Reply<api::DeletedSession> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::SetAutoApprove q, api::Reply<api::AutoApprove> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::RenameSession q, api::Reply<api::Session> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::GetConversation q, api::Reply<api::Conversation> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::ListConversations q, api::Reply<api::ConversationPage> r) override {
    take(c, q, r);
  }
  void handle(const api::Caller& c, api::GetWholeSession q, api::Reply<api::WholeSession> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::ListTasks q, api::Reply<api::TaskList> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::GetTask q, api::Reply<api::Task> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::ListArtifacts q, api::Reply<api::ArtifactList> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::GetArtifact q, api::Reply<api::Artifact> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::DeleteArtifact q, api::Reply<api::DeletedArtifact> r) override {
    take(c, q, r);
  }
  void handle(const api::Caller& c, api::ListDataItems q, api::Reply<api::DataItemList> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::GetDataItem q, api::Reply<api::DataItem> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::ListSteps q, api::Reply<api::StepList> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::StartRun q, api::Reply<api::StartedRun> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::GetRun q, api::Reply<api::Run> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::ListRuns q, api::Reply<api::RunList> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::FindRuns q, api::Reply<api::FoundRuns> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::Interrupt q, api::Reply<api::Run> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::ListApprovals q, api::Reply<api::ApprovalList> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::Decide q, api::Reply<api::Decided> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::PutFile q, api::Reply<api::FileInfo> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::ListFiles q, api::Reply<api::FileList> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::GetFile q, api::Reply<api::FileContent> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::LogIn q, api::Reply<api::LoggedIn> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::LogOut q, api::Reply<api::LoggedOut> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::GetMe q, api::Reply<api::Me> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::ListAlerts q, api::Reply<api::AlertList> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::GetAgent q, api::Reply<api::Agent> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::ListAgents q, api::Reply<api::AgentsInfo> r) override { take(c, q, r); }
  void handle(const api::Caller& c, api::GetSystem q, api::Reply<api::ServerFigures> r) override { take(c, q, r); }

 private:
  template <class Command>
  struct Slot {
    std::vector<Command> asked;
    Result<typename Command::ReplyValue> reply = fail(ErrorCode::kInternal, "no reply was prepared");
  };
  template <class Command, class Reply>
  void take(const api::Caller& caller, Command& command, Reply& reply) {
    auto& slot = std::get<Slot<Command>>(slots_);
    callers_.push_back(caller);
    slot.asked.push_back(std::move(command));
    reply(slot.reply);
  }

  std::vector<api::Caller> callers_;
  std::tuple<Slot<api::CreateSession>, Slot<api::GetSession>, Slot<api::ListSessions>, Slot<api::DeleteSession>,
             Slot<api::SetAutoApprove>, Slot<api::RenameSession>, Slot<api::GetConversation>,
             Slot<api::ListConversations>, Slot<api::StartRun>, Slot<api::GetRun>, Slot<api::ListRuns>,
             Slot<api::Interrupt>, Slot<api::ListApprovals>, Slot<api::Decide>, Slot<api::PutFile>,
             Slot<api::ListFiles>, Slot<api::GetFile>, Slot<api::LogIn>, Slot<api::LogOut>, Slot<api::GetMe>,
             Slot<api::ListAlerts>, Slot<api::GetAgent>, Slot<api::GetWholeSession>, Slot<api::ListTasks>,
             Slot<api::GetTask>, Slot<api::ListArtifacts>, Slot<api::GetArtifact>, Slot<api::DeleteArtifact>,
             Slot<api::ListDataItems>, Slot<api::GetDataItem>, Slot<api::ListSteps>, Slot<api::FindRuns>,
             Slot<api::ListAgents>, Slot<api::GetSystem>>
      slots_;
};

}  // namespace braidlog::testing
