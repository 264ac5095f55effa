// One run as its committed log tells it: the events, the state they fold to, and the bytes that its viewers may see in
// each contract. Everything a client or a tool notices of the run is held against this.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cast.h"
#include "contract_stream.h"
#include "event/run_state.h"
#include "world.h"

namespace braidlog::sim {

class RunHistory {
 public:
  RunHistory(World& world, RunId id) : world_(world), id_(id) {}

  // What follows is written by the owner with that epoch: after a restart, what ran before was cut.
  void change_owner(std::uint64_t epoch);
  // Committed records that follow the ones before. Violates when they break a rule of logs. `on_event` hears of each
  // before it is part of the state.
  using OnEvent = std::function<void(const RunEvent&)>;
  void take(std::string_view records, std::uint32_t count, const OnEvent& on_event);

  RunId id() const { return id_; }
  const RunState& state() const { return state_; }
  const std::string& records() const { return records_; }
  bool ended() const { return is_over(state_.ended); }
  std::uint64_t resumed() const { return resumed_; }  // how often
  // The step since which it is known to be at work: its server has heard of its beginning and gone on.
  std::optional<std::uint64_t> at_work_since() const { return at_work_since_; }
  // What this run's events said since the last call, in names.
  std::string describe_last() const { return last_names_; }

  // The stream so far in a contract. Made when somebody looks: most runs are watched in one or two.
  const ContractStream& stream(const Dialect& contract) const;
  // What the session had said when the run was completed, its answer included: a part of some streams.
  void set_view(std::shared_ptr<const api::SessionView> view) { view_ = std::move(view); }

  // It was over before its turn came: what its user said is no part of the session.
  bool was_dropped() const { return state_.is_begun && state_.begun.text.empty() && !state_.request.text.empty(); }
  // Where the log says that the answer stands among the messages of the session; none before the end.
  std::optional<std::uint64_t> end_position() const { return end_position_; }
  // Why it was over, as its last event says; empty for other ends.
  const std::string& interrupted_for() const { return interrupted_for_; }
  // What it leaves in the session as its answer; empty: nothing.
  std::string message() const;

  struct Call {
    bool asked = false, started = false, closed = false;
    bool cut = false;  // it ran when the server went down
    std::optional<Verdict> verdict;
    std::string refused_for;
    Permission permission = Permission::kReads;
    std::string name;
    std::optional<std::uint64_t> token;  // in its arguments: which of the model's calls it is
  };
  const std::map<ToolCallId, Call>& calls() const { return calls_; }
  // By "apply to future" of an approval: for the rest of the session.
  const std::set<std::string>& tools_allowed() const { return tools_allowed_; }

 private:
  void take_event(const RunEvent& event);
  void check_call(const RunEvent& event);
  void check_order(const RunEvent& event);
  void check_texts();
  // Plans, code and steps (run_history_steps.cpp).
  void check_steps(const RunEvent& event);
  void check_turn(const ModelStarted& event);
  void check_plan(const PlanMade& event);
  void check_code(const CodeStarted& event);
  void check_step(const StepFinished& event);
  void check_message(const RunCompleted& event);
  bool is_silent(std::uint32_t turn) const;
  Call& call(ToolCallId id) { return calls_[id]; }

  World& world_;
  RunId id_;
  RunState state_;
  std::string records_, last_names_;
  std::shared_ptr<const api::SessionView> view_;
  mutable std::map<const Dialect*, ContractStream> streams_;
  std::optional<std::uint64_t> end_position_, at_work_since_;
  std::string interrupted_for_;
  std::optional<std::string> message_;  // as its end says
  std::uint32_t steps_ = 0, steps_since_plan_ = 0, last_stepped_ = 0;
  bool has_plan_ = false;
  std::map<ToolCallId, Call> calls_;
  std::set<std::string> tools_allowed_;
  std::uint64_t resumed_ = 0, epoch_ = 1;
  std::pair<std::size_t, std::size_t> told_;  // whose text was looked at last, and how much of it
  const std::vector<ToolSpec> specs_ = tool_specs();
  const std::vector<api::Agent> cast_ = cast();
};

}  // namespace braidlog::sim
