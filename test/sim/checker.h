// Holds everything that happens against the promises of the product. It sees what is committed, what clients are sent
// and told, and what tools do to the world; it knows nothing of the server's inside.
//
//   I1  bytes sent to a viewer are bytes of the committed log        Viewers, with history()
//   I2  the shape of a log                                           RunHistory
//   I3  every viewer reads the same bytes, whatever is cut           Viewers
//   I4  intent before effect, effect at most once, unknown is told   on_tool_started(), on_effect(), RunHistory
//   I5  no writing without consent                                   check_permission()
//       what was acknowledged is in the log                          told_*()
//       turns, and what was said in them                             SessionBook
//       tasks, artifacts and data items                              ItemBook
//       code runs once it is in the log, and never after it called   on_code_run(), on_code_answered()
//       a run stops with its client, and for a reason only           Attendance, check_stop()
//       the tables say what the log says; every run ends
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/dialects.h"
#include "attendance.h"
#include "consent.h"
#include "item_book.h"
#include "port/run_store.h"
#include "port/sandbox.h"
#include "run_history.h"
#include "session_book.h"

namespace braidlog::sim {

class Checker {
 public:
  explicit Checker(World& world) : world_(world), dialects_(world.profile.limits) {}

  // ---- the store
  void on_commit(std::span<const Write> writes, const std::vector<Result<WriteOutcome>>& outcomes);

  // ---- tools
  void on_tool_checked(std::uint64_t token) { checked_at_[token] = world_.trace.step; }
  void on_tool_started(RunId run_id, ToolCallId call_id, const ToolSpec& spec);
  void on_effect(RunId run_id, ToolCallId call_id, const ToolSpec& spec);

  // ---- code
  void on_code_run(const std::string& code);
  void on_code_answered(std::uint64_t token, const CodeAnswer& answer);

  // ---- what clients ask for, and what they were told
  void asked_to_stop(RunId run_id) { asked_to_stop_.insert(run_id); }
  void asked_to_stop(SessionId id) { asked_to_stop_in_.insert(id); }
  void asked_to_delete(SessionId id) { asked_to_delete_.insert(id); }
  // What a client said, and where: none is in a new session.
  struct Said {
    std::string text, key;
    std::optional<SessionId> session;
  };
  // It means that run.
  void told_run(RunId run_id, const Said& said);
  void told_interrupting(RunId run_id);
  void told_decided(ApprovalId approval_id, RunId run_id, Verdict verdict);
  Consent& consent(SessionId id) { return consents_[id]; }
  Attendance& attendance() { return attendance_; }
  void on_server_gone();
  // The server is about to leave the clients that runs depend on.
  void on_clients_stopped();

  // ---- when nothing moves: nobody waits for nothing, and no run goes on without its client
  void check_quiet(unsigned generation);
  // ---- at the end
  void check_ends();

  const RunHistory* history(RunId id) const;
  const std::map<RunId, RunHistory>& histories() const { return histories_; }
  // Every run that was asked for with these words.
  std::vector<const RunHistory*> saying(const std::string& text) const;
  // The run that a key means in a session.
  std::optional<RunId> run_of_key(SessionId session, const std::string& key) const;
  const app::Dialects& dialects() const { return dialects_; }
  const Dialect& contract(std::string_view name) const;

 private:
  using ScopedKey = std::pair<std::string, std::string>;  // whose, and the idempotency key

  void take(const NewSession& write);
  void take_alone(const NewSession& write);
  void take(const NewRun& write, const WriteOutcome& outcome);
  void take(const Append& write);
  void take(const RemoveSession& write);
  void take(const RemoveArtifact& write);
  void take_event(const RunHistory& history, const RunEvent& event);
  void refused(const NewRun& write);
  void advance(RunHistory& history, std::string_view records, std::uint32_t count);
  void check_budget();
  void take_key(const NewRun& write, const WriteOutcome& outcome);
  void check_stop(const RunHistory& history);
  bool was_rejected(const RunHistory& history) const;
  void check_restart(const RunHistory& history);
  bool is_taken_up(RunId id) const;  // by a server that did not make it
  void check_tables(const RunHistory& history);
  void check_permissions(const RunHistory& history);
  void check_permission(const RunHistory& history, const RunHistory::Call& call);
  SessionBook& book(SessionId id) { return books_.try_emplace(id, world_, id).first->second; }
  ItemBook& items(SessionId id) { return items_.try_emplace(id, world_, id).first->second; }

  World& world_;
  const app::Dialects dialects_;
  Attendance attendance_{world_};
  std::map<RunId, RunHistory> histories_;
  std::map<SessionId, SessionBook> books_;
  std::map<SessionId, ItemBook> items_;
  std::set<SessionId> spoken_;                                        // in this commit
  std::set<SessionId> touched_;                                       // by runs, in this commit
  std::map<std::uint64_t, std::pair<RunId, std::uint32_t>> code_of_;  // number of the answer: run and turn
  std::map<SessionId, Consent> consents_;
  std::map<std::uint64_t, std::uint64_t> checked_at_;  // token: when the engine decided about the call
  std::set<ToolCallId> permitted_;                     // checked before
  std::map<std::pair<RunId, ToolCallId>, int> effects_;
  std::map<ScopedKey, RunId> keys_;
  std::map<RunId, std::string> key_of_;
  std::set<RunId> told_interrupting_, asked_to_stop_;
  std::set<RunId> to_be_stopped_;  // by the server that is told to stop
  std::set<SessionId> asked_to_delete_, asked_to_stop_in_;
  const std::vector<api::Agent> cast_ = cast();
};

}  // namespace braidlog::sim
