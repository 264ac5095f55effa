// One run as its committed log tells it: the events, the state they fold to, and the bytes that its viewers may see.
// Everything a client or a tool notices of the run is held against this.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cast.h"
#include "dialect/dialect.h"
#include "event/run_state.h"
#include "world.h"

namespace braidlog::sim {

class RunHistory {
 public:
  RunHistory(World& world, const Dialect& dialect, RunId id);

  // Committed records that follow the ones before. Violates when they break a rule of logs.
  void take(std::string_view records, std::uint32_t count);

  RunId id() const { return id_; }
  const RunState& state() const { return state_; }
  const std::string& records() const { return records_; }
  bool ended() const { return is_over(state_.ended); }
  std::uint64_t resumed() const { return resumed_; }  // how often
  // What this run's events said since the last call, in names.
  std::string describe_last() const { return last_names_; }

  // The whole stream so far, in the runs contract.
  const std::string& bytes() const { return frames_.bytes; }
  // Where the frame ends that a client with so many bytes has whole, and the id it read there; 0 and "" for none.
  struct Place {
    std::size_t offset = 0;
    std::string event_id;
  };
  Place last_whole_frame(std::size_t received) const;
  // Where a client goes on who has every frame up to this event.
  std::size_t offset_after(Sequence sequence) const;

  struct Call {
    bool asked = false, started = false, closed = false;
    bool cut = false;  // it ran when the server went down
    std::optional<Verdict> verdict;
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
  void check_texts();
  void check_frames(std::size_t first_mark, const RunEvent& event);
  Call& call(ToolCallId id) { return calls_[id]; }

  World& world_;
  RunId id_;
  std::unique_ptr<Projection> projection_;
  RunState state_;
  Frames frames_;
  std::string records_, last_names_;
  std::map<ToolCallId, Call> calls_;
  std::set<std::string> tools_allowed_;
  std::uint64_t resumed_ = 0;
  const std::vector<ToolSpec> specs_ = tool_specs();
};

}  // namespace braidlog::sim
