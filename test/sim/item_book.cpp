#include "item_book.h"

#include <algorithm>

namespace braidlog::sim {

namespace {

using api::SessionStatus;

bool is_over(TaskStatus status) {
  return status == TaskStatus::kDone || status == TaskStatus::kFailed;
}

TaskItem item_of(const api::Task& task) {
  return {task.id, task.title, task.description, task.status, task.order};
}

}  // namespace

// Events that are not here leave nothing in a session.
struct ItemBook::Visitor {
  ItemBook& book;
  const RunHistory& run;
  const RunEvent& event;
  const bool executes = run.state().request.way == Way::kExecute;

  void operator()(const RunStarted& e) const {
    book.check_known(run, e);
    if (executes) book.status_ = SessionStatus::kExecuting;
  }
  void operator()(const TasksReplaced& e) const { book.replace(run, e.tasks); }
  void operator()(const TaskSelected& e) const { book.select(run, e.task_id); }
  void operator()(const TaskFinished& e) const { book.finish(run, e); }
  void operator()(const ReflectionMade& e) const { book.reflect(run, e); }
  void operator()(const ArtifactCreated& e) const {
    book.check_maker(run, e.artifact_id.value, e.task_id, "an artifact");
    book.artifacts_.push_back({e.artifact_id, book.id_, e.task_id, e.name, e.type, e.content, event.at});
  }
  void operator()(const DataModified& e) const { book.change(run, event, e); }
  void operator()(const ModelStarted& e) const {
    const bool reflects = e.purpose == TurnPurpose::kReflection;
    if (reflects != book.reflects_.has_value() && executes) {
      book.world_.violate(run.id(), " asks for a reflection at the wrong time, or does not");
    }
    if (executes && !reflects && !book.in_hand_) book.world_.violate(run.id(), " works, and on no task");
  }
  void operator()(const RunCompleted& e) const {
    if (!executes) return;
    book.check_summary(run, e);
    book.status_ = SessionStatus::kCompleted;
  }
  void operator()(const RunFailed&) const { book.cut(run); }
  void operator()(const RunInterrupted&) const { book.cut(run); }
  template <class Other>
  void operator()(const Other&) const {}
};

void ItemBook::take(const RunHistory& run, const RunEvent& event) {
  std::visit(Visitor{*this, run, event}, event.body);
}

api::Task* ItemBook::find_task(TaskId id) {
  const auto at = std::ranges::find(tasks_, id, &api::Task::id);
  return at == tasks_.end() ? nullptr : &*at;
}

const api::Task* ItemBook::first_pending() const {
  const auto at = std::ranges::find(tasks_, TaskStatus::kPending, &api::Task::status);
  return at == tasks_.end() ? nullptr : &*at;
}

// ---- tasks ----

// A run that can use the list begins with it as it is now: so nobody works on what another run did meanwhile.
void ItemBook::check_known(const RunHistory& run, const RunStarted& event) const {
  const auto& request = run.state().request;
  const bool is_dropped = event.text.empty() && !request.text.empty();
  const bool uses_tasks = request.way == Way::kExecute || makes_tasks(agent_named(cast_, request.agent));
  if (is_dropped) return;
  std::vector<KnownTask> known;
  if (uses_tasks) {
    for (const auto& task : tasks_) known.push_back({item_of(task), task.result.value_or("")});
  }
  if (event.tasks != known) world_.violate(run.id(), " begins with other tasks than ", id_, " has");
  if (request.way == Way::kExecute && !first_pending())
    world_.violate(run.id(), " executes, and nothing is to be done");
}

// What is done stays as it is and in front; the rest is new.
void ItemBook::replace(const RunHistory& run, const std::vector<TaskItem>& items) {
  if (run.state().request.way == Way::kExecute) world_.violate(run.id(), " changes the list that it works on");
  std::erase_if(tasks_, [](const api::Task& task) { return !is_over(task.status); });
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_known = i < tasks_.size();
    if (!is_known) {
      if (find_task(items[i].id)) world_.violate(run.id(), " lists a task twice");
      tasks_.push_back(
          {.id = items[i].id, .session_id = id_, .title = items[i].title, .description = items[i].description});
    }
    tasks_[i].order = static_cast<std::uint32_t>(i);
    if (item_of(tasks_[i]) != items[i]) world_.violate(run.id(), " put a task on its list that is not as it should be");
  }
  if (tasks_.size() > items.size()) world_.violate(run.id(), " took tasks from the list that are done");
  const auto fresh = std::ranges::count(tasks_, TaskStatus::kPending, &api::Task::status);
  if (fresh > 10) world_.violate(run.id(), " made a list of ", fresh, " tasks");
  status_ = first_pending() || tasks_.empty() ? SessionStatus::kPlanning : SessionStatus::kCompleted;
}

void ItemBook::select(const RunHistory& run, TaskId id) {
  if (in_hand_ || reflects_) world_.violate(run.id(), " began a task before another was over");
  if (run.state().request.way != Way::kExecute) world_.violate(run.id(), " works on tasks, and was not asked to");
  api::Task* task = find_task(id);
  if (!task || task != first_pending())
    return world_.violate(run.id(), " began a task that was not the next to be done");
  if (!selected_.emplace(run.id(), id).second) world_.violate(run.id(), " began a task twice");
  task->status = TaskStatus::kInProgress;
  in_hand_ = {run.id(), id};
}

void ItemBook::finish(const RunHistory& run, const TaskFinished& event) {
  api::Task* task = find_task(event.task_id);
  if (!task || in_hand_ != std::pair(run.id(), event.task_id)) {
    return world_.violate(run.id(), " finished a task that it was not at");
  }
  if (!is_over(event.status)) world_.violate(run.id(), " finished a task, and it is not over");
  if ((event.status == TaskStatus::kFailed) != event.error.has_value()) {
    world_.violate(run.id(), ": a task has an error exactly when it failed");
  }
  task->status = event.status;
  task->result = event.result;
  reflects_ = std::exchange(in_hand_, {});
}

void ItemBook::reflect(const RunHistory& run, const ReflectionMade& event) {
  if (reflects_ != std::pair(run.id(), event.task_id)) return world_.violate(run.id(), " reflects on nothing");
  reflects_.reset();
  find_task(event.task_id)->reflection = event.text;
}

void ItemBook::check_summary(const RunHistory& run, const RunCompleted& event) const {
  if (in_hand_ || reflects_ || first_pending()) world_.violate(run.id(), " is completed, and there is something to do");
  std::uint32_t total = 0, done = 0;
  for (const auto& task : tasks_) {
    if (!selected_.contains({run.id(), task.id})) continue;
    ++total;
    done += task.status == TaskStatus::kDone;
  }
  if (event.tasks_total != total || event.tasks_done != done || event.tasks_failed != total - done) {
    world_.violate(run.id(), " did ", done, " of ", total, " tasks, and says otherwise");
  }
  if (!event.message_text.empty()) world_.violate(run.id(), " executed tasks, and left a message");
}

// However an execution is cut, the task in hand is to be done by the next one.
void ItemBook::cut(const RunHistory& run) {
  if (run.state().request.way != Way::kExecute) return;
  if (in_hand_) find_task(in_hand_->second)->status = TaskStatus::kPending;
  in_hand_.reset();
  reflects_.reset();
  status_ = first_pending() ? SessionStatus::kPlanning : SessionStatus::kCompleted;
}

// ---- artifacts and data items ----

void ItemBook::check_maker(const RunHistory& run, Id128 call, const std::optional<TaskId>& task,
                           std::string_view what) const {
  const ToolCallState* maker = run.state().find_call(ToolCallId{call});
  if (!maker || maker->name != kMakingTool || maker->phase != CallPhase::kRunning) {
    world_.violate(run.id(), " made ", what, ", and no call of its did");
  }
  const auto now = in_hand_ ? std::optional(in_hand_->second) : std::nullopt;
  if (task != now) world_.violate(run.id(), " made ", what, " for another task than it is at");
}

void ItemBook::change(const RunHistory& run, const RunEvent& event, const DataModified& item) {
  const auto known = std::ranges::find(data_items_, item.item_id, &api::DataItem::id);
  const bool is_known = known != data_items_.end();
  if (item.operation == DataOperation::kCreate) {
    check_maker(run, item.item_id.value, item.task_id, "a data item");
    if (is_known) world_.violate(run.id(), " made a data item twice");
    data_items_.push_back({item.item_id, id_, item.item_type, item.data_json, event.at, event.at});
    return;
  }
  if (!is_known) return;  // the tool saw it, and it was gone when the result came
  if (item.operation == DataOperation::kDelete) {
    data_items_.erase(known);
  } else {
    known->item_type = item.item_type;
    known->data_json = item.data_json;
  }
}

void ItemBook::remove(ArtifactId id) {
  std::erase_if(artifacts_, [&](const api::Artifact& artifact) { return artifact.id == id; });
}

// ---- the tables ----

bool ItemBook::check_tasks(const api::TaskList& stored) const {
  return std::ranges::equal(stored, tasks_, [](const api::Task& a, const api::Task& b) {
    return item_of(a) == item_of(b) && a.result == b.result && a.reflection == b.reflection &&
           a.session_id == b.session_id;
  });
}

void ItemBook::check_tables() const {
  const auto at = world_.tables.sessions.find(id_);
  if (at == world_.tables.sessions.end()) return;
  const auto& items = at->second.items;
  if (!check_tasks(items.tasks_by_order())) world_.violate("the tasks of ", id_, " are not what its runs made of them");
  const auto same_artifact = [](const api::Artifact& a, const api::Artifact& b) {
    return a.id == b.id && a.session_id == b.session_id && a.task_id == b.task_id && a.name == b.name &&
           a.type == b.type && a.content == b.content && a.created_at == b.created_at;
  };
  if (!std::ranges::equal(items.artifacts, artifacts_, same_artifact)) {
    world_.violate("the artifacts of ", id_, " are not those that its runs made");
  }
  const auto same_item = [](const api::DataItem& a, const api::DataItem& b) {
    return a.id == b.id && a.session_id == b.session_id && a.item_type == b.item_type && a.data_json == b.data_json &&
           a.created_at == b.created_at;
  };
  if (!std::ranges::equal(items.data_items, data_items_, same_item)) {
    world_.violate("the data items of ", id_, " are not what its runs made of them");
  }
  if (at->second.session.status != status_) world_.violate(id_, " is not as far with its tasks as its runs say");
}

}  // namespace braidlog::sim
