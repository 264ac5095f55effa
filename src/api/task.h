// What agents that plan and act leave in a session: tasks, artifacts and data items. They are made by runs alone; a
// client reads them, and may delete an artifact.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "event/run_event.h"

namespace braidlog::api {

struct Task {
  TaskId id;
  SessionId session_id;
  std::string title;
  std::string description;
  TaskStatus status = TaskStatus::kPending;
  std::optional<std::string> result;
  std::optional<std::string> reflection;
  std::uint32_t order = 0;
  WallTime created_at, updated_at;
};

struct Artifact {
  ArtifactId id;
  SessionId session_id;
  std::optional<TaskId> task_id;
  std::string name;
  std::string type;     // "document", "note", "summary", "plan" or "other"
  std::string content;  // empty in lists
  WallTime created_at;
};

struct DataItem {
  DataItemId id;
  SessionId session_id;
  std::string item_type;
  std::string data_json;
  WallTime created_at, updated_at;
};

// Of a session of the caller; kSessionNotFound first, then kTaskNotFound, kArtifactNotFound, kDataItemNotFound.
using TaskList = std::vector<Task>;  // by order
struct ListTasks {
  using ReplyValue = TaskList;
  SessionId session_id;
};
struct GetTask {
  using ReplyValue = Task;
  SessionId session_id;
  TaskId id;
};

using ArtifactList = std::vector<Artifact>;  // oldest first
struct ListArtifacts {
  using ReplyValue = ArtifactList;
  SessionId session_id;
  std::string type{};  // empty: all
};
struct GetArtifact {
  using ReplyValue = Artifact;
  SessionId session_id;
  ArtifactId id;
};
struct DeletedArtifact {};
struct DeleteArtifact {
  using ReplyValue = DeletedArtifact;
  SessionId session_id;
  ArtifactId id;
};

using DataItemList = std::vector<DataItem>;  // oldest first
struct ListDataItems {
  using ReplyValue = DataItemList;
  SessionId session_id;
  std::string item_type{};  // empty: all
};
struct GetDataItem {
  using ReplyValue = DataItem;
  SessionId session_id;
  DataItemId id;
};

// The plans and actions of all runs of the session whose events are kept, in the order in which they were made.
using StepList = std::vector<std::variant<PlanMade, StepFinished>>;
struct ListSteps {
  using ReplyValue = StepList;
  SessionId session_id;
};

}  // namespace braidlog::api
