// What the runs of one session did to it, as their logs tell it: whose turn it is, and what was said. The tables are
// held against it, and so is what streams show of a session's past.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "run_history.h"

namespace braidlog::sim {

class SessionBook {
 public:
  SessionBook(World& world, SessionId id) : world_(world), id_(id) {}

  // ---- turns: one run at work; others wait, and begin in the order in which they came, which is that of their ids

  // A run was made. `waits`: its turn is to come.
  void make(RunId run, bool waits);
  // The run's log has its start now: its turn, or it was dropped.
  void begin(const RunHistory& run);
  void end(const RunHistory& run);
  // The session is deleted.
  void remove();

  std::optional<RunId> working() const { return working_; }
  // Somebody waits, and for nobody.
  bool is_stuck() const { return !working_ && !waiting_.empty(); }

  // ---- messages

  // Everything that was said so far.
  std::shared_ptr<const api::SessionView> view() const;
  // The tables say the same.
  void check_messages() const;

 private:
  bool is_waiting(RunId run) const;

  World& world_;
  SessionId id_;
  std::optional<RunId> working_;
  std::vector<RunId> waiting_;  // in the order in which they came
  std::vector<api::Message> messages_;
};

}  // namespace braidlog::sim
