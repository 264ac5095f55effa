// What a run does with the session's tasks, and what its tools keep in the session for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "event/event_values.h"

namespace braidlog {

// A tool made an artifact.
// When: While the tool runs.
struct ArtifactCreated {
  ArtifactId artifact_id;
  std::optional<TaskId> task_id;
  std::string name;
  std::string type;
  std::string content{};
  bool operator==(const ArtifactCreated&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("artifact_id", s.artifact_id);
    v("task_id", s.task_id);
    v("name", s.name);
    v("artifact_type", s.type);
    v("content", s.content);
  }
};

// A tool created, changed or deleted a data item.
// When: While the tool runs.
struct DataModified {
  DataItemId item_id;
  std::optional<TaskId> task_id;
  DataOperation operation = DataOperation::kCreate;
  std::string item_type;
  std::string data_json{};  // as it is now; empty when it was deleted
  bool operator==(const DataModified&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("item_id", s.item_id);
    v("task_id", s.task_id);
    v("operation", s.operation);
    v("item_type", s.item_type);
    v("data_json", s.data_json);
  }
};

// The session's whole list of tasks, as it is now.
// When: When the planner changed it.
struct TasksReplaced {
  std::vector<TaskItem> tasks;  // the whole list
  bool operator==(const TasksReplaced&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("tasks", s.tasks);
  }
};

// The run turns to this task.
// When: Before the work on it.
struct TaskSelected {
  TaskId task_id;
  bool operator==(const TaskSelected&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("task_id", s.task_id);
  }
};

// The task is done or failed.
// When: After the work on it.
struct TaskFinished {
  TaskId task_id;
  TaskStatus status = TaskStatus::kDone;
  std::string result;
  std::optional<std::string> error;
  bool operator==(const TaskFinished&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("task_id", s.task_id);
    v("status", s.status);
    v("result", s.result);
    v("error", s.error);
  }
};

// What the model makes of the task's result.
// When: After `task.finished`.
struct ReflectionMade {
  TaskId task_id;
  std::string text;
  bool operator==(const ReflectionMade&) const = default;
  template <class S, class V>
  static void fields(S& s, V& v) {
    v("task_id", s.task_id);
    v("text", s.text);
  }
};

}  // namespace braidlog
