// Holds everything that happens against the promises of the product. It sees what is committed, what clients are sent
// and told, and what tools do to the world; it knows nothing of the server's inside.
//
//   I1  bytes sent to a viewer are bytes of the committed log        Viewers, with history()
//   I2  the shape of a log                                           RunHistory
//   I3  every viewer reads the same bytes, whatever is cut           Viewers
//   I4  intent before effect, effect at most once, unknown is told   on_tool_started(), on_effect(), RunHistory
//   I5  no writing without consent                                   check_permission()
//       what was acknowledged is in the log                          told_*()
//       one unfinished run per session; the tables say what the log says; every run ends
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "consent.h"
#include "dialect/runs/routes.h"
#include "port/run_store.h"
#include "run_history.h"

namespace braidlog::sim {

class Checker {
 public:
  explicit Checker(World& world) : world_(world), dialect_(world.profile.limits) {}

  // ---- the store
  void on_commit(std::span<const Write> writes, const std::vector<Result<WriteOutcome>>& outcomes);

  // ---- tools
  void on_tool_checked(std::uint64_t token) { checked_at_[token] = world_.trace.step; }
  void on_tool_started(RunId run_id, ToolCallId call_id, const ToolSpec& spec);
  void on_effect(RunId run_id, ToolCallId call_id, const ToolSpec& spec);

  // ---- what clients were told
  void told_run(RunId run_id, SessionId session_id, const std::string& key);
  void told_interrupting(RunId run_id);
  void told_decided(ApprovalId approval_id, RunId run_id, Verdict verdict);
  Consent& consent(SessionId id) { return consents_[id]; }
  void on_server_gone();

  // ---- at the end
  void check_ends();

  const RunHistory* history(RunId id) const;
  const std::map<RunId, RunHistory>& histories() const { return histories_; }

 private:
  void take(const NewSession& write);
  void take(const NewRun& write, const WriteOutcome& outcome);
  void take(const Append& write);
  void check_tables(const RunHistory& history);
  void check_messages(const RunHistory& history);
  void check_permissions(const RunHistory& history);
  void check_permission(const RunHistory& history, const RunHistory::Call& call);

  World& world_;
  RunsDialect dialect_;
  std::map<RunId, RunHistory> histories_;
  std::map<SessionId, Consent> consents_;
  std::map<std::uint64_t, std::uint64_t> checked_at_;  // token: when the engine decided about the call
  std::set<ToolCallId> permitted_;                     // checked before
  std::map<std::pair<RunId, ToolCallId>, int> effects_;
  std::map<std::pair<SessionId, std::string>, RunId> keys_;
  std::set<RunId> told_interrupting_;
  const std::vector<api::Agent> cast_ = cast();
};

}  // namespace braidlog::sim
