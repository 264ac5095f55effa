// What the runs of one session left in it, as their logs tell it: tasks, artifacts, data items, and how far the session
// is. Every event must be one that may come now; the tables are held against the fold.
//
//   a task   pending → in_progress → done | failed        by one execution, once
//                    ← when the execution is cut
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "run_history.h"

namespace braidlog::sim {

class ItemBook {
 public:
  ItemBook(World& world, SessionId id) : world_(world), id_(id) {}

  // The run's state is what it was before the event.
  void take(const RunHistory& run, const RunEvent& event);
  // A client deleted it.
  void remove(ArtifactId id);

  // The tables say the same.
  void check_tables() const;

 private:
  struct Visitor;
  api::Task* find_task(TaskId id);
  const api::Task* first_pending() const;
  // Tasks, or their order, or how many there are at a place of the session's life.
  void replace(const RunHistory& run, const std::vector<TaskItem>& items);
  void select(const RunHistory& run, TaskId id);
  void finish(const RunHistory& run, const TaskFinished& event);
  void reflect(const RunHistory& run, const ReflectionMade& event);
  void check_known(const RunHistory& run, const RunStarted& event) const;
  void check_summary(const RunHistory& run, const RunCompleted& event) const;
  // Who makes something in a session is a call that is under way, for the task in hand.
  void check_maker(const RunHistory& run, Id128 call, const std::optional<TaskId>& task, std::string_view what) const;
  void change(const RunHistory& run, const RunEvent& event, const DataModified& item);
  void cut(const RunHistory& run);
  bool check_tasks(const api::TaskList& stored) const;

  World& world_;
  SessionId id_;
  api::SessionStatus status_ = api::SessionStatus::kPlanning;
  api::TaskList tasks_;  // by order
  api::ArtifactList artifacts_;
  api::DataItemList data_items_;
  std::optional<std::pair<RunId, TaskId>> in_hand_, reflects_;
  std::set<std::pair<RunId, TaskId>> selected_;
  const std::vector<api::Agent> cast_ = cast();
};

}  // namespace braidlog::sim
