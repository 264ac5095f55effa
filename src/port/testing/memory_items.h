// Tasks, artifacts and data items of one session in memory: a part of memory_tables.h.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "port/run_store.h"

namespace braidlog::testing {

struct MemoryItems {
  api::TaskList tasks{};          // in no order
  api::ArtifactList artifacts{};  // oldest first
  api::DataItemList data_items{};

  // Why the effects are refused.
  Status check(const RunEffects& effects) const {
    if (effects.artifacts.empty() && effects.data_items.empty()) return {};
    return MemoryItems(*this).apply({}, effects);
  }
  // One that check() has nothing against, or it ends halfway.
  Status apply(SessionId session_id, const RunEffects& effects) {
    if (effects.tasks) replace_tasks(session_id, *effects.tasks, *effects.changed_at);
    for (const TaskChange& change : effects.task_changes) apply(change, *effects.changed_at);
    for (api::Artifact artifact : effects.artifacts) {
      if (std::ranges::count(artifacts, artifact.id, &api::Artifact::id) > 0) return exists();
      artifact.session_id = session_id;
      for (std::string* text : {&artifact.name, &artifact.type, &artifact.content}) *text = to_valid_utf8(*text);
      artifacts.push_back(std::move(artifact));
    }
    for (const DataItemChange& change : effects.data_items) {
      if (auto applied = apply(session_id, change); !applied) return applied;
    }
    return {};
  }
  bool remove(ArtifactId id) {
    return std::erase_if(artifacts, [&](const api::Artifact& a) { return a.id == id; }) > 0;
  }

  api::TaskList tasks_by_order() const {
    api::TaskList list = tasks;
    std::ranges::sort(list, {}, [](const api::Task& task) { return std::pair(task.order, task.id); });
    return list;
  }
  api::ArtifactList artifacts_of(const std::string& type) const {
    api::ArtifactList list = artifacts;
    std::erase_if(list, [&](const api::Artifact& a) { return !type.empty() && a.type != type; });
    for (api::Artifact& artifact : list) artifact.content.clear();
    return list;
  }
  api::DataItemList data_items_of(const std::string& item_type) const {
    api::DataItemList list = data_items;
    std::erase_if(list, [&](const api::DataItem& i) { return !item_type.empty() && i.item_type != item_type; });
    return list;
  }

 private:
  static Status exists() { return fail(ErrorCode::kInvalidState, "it exists already"); }

  void replace_tasks(SessionId session_id, const std::vector<TaskItem>& items, WallTime at) {
    std::erase_if(tasks, [&](const api::Task& t) { return std::ranges::count(items, t.id, &TaskItem::id) == 0; });
    for (TaskItem item : items) {
      item.title = to_valid_utf8(item.title);
      item.description = to_valid_utf8(item.description);
      auto known = std::ranges::find(tasks, item.id, &api::Task::id);
      if (known == tasks.end()) {
        tasks.push_back({.id = item.id, .session_id = session_id, .created_at = at, .updated_at = at});
        known = std::prev(tasks.end());
      }
      const TaskItem before{known->id, known->title, known->description, known->status, known->order};
      if (before != item) known->updated_at = std::max(known->updated_at, at);
      known->title = item.title;
      known->description = item.description;
      known->status = item.status;
      known->order = item.order;
    }
  }
  void apply(const TaskChange& change, WallTime at) {
    const auto task = std::ranges::find(tasks, change.id, &api::Task::id);
    if (task == tasks.end()) return;
    task->status = change.status;
    if (change.result) task->result = to_valid_utf8(*change.result);
    if (change.reflection) task->reflection = to_valid_utf8(*change.reflection);
    task->updated_at = std::max(task->updated_at, at);
  }
  Status apply(SessionId session_id, const DataItemChange& change) {
    api::DataItem item = change.item;
    item.session_id = session_id;
    item.item_type = to_valid_utf8(item.item_type);
    item.data_json = to_valid_utf8(item.data_json);
    const auto known = std::ranges::find(data_items, item.id, &api::DataItem::id);
    const bool is_known = known != data_items.end();
    switch (change.operation) {
      case DataOperation::kCreate:
        if (is_known) return exists();
        data_items.push_back(std::move(item));
        break;
      case DataOperation::kUpdate:
        if (!is_known) break;
        known->item_type = item.item_type;
        known->data_json = item.data_json;
        known->updated_at = std::max(known->updated_at, item.updated_at);
        break;
      case DataOperation::kDelete:
        if (is_known) data_items.erase(known);
        break;
    }
    return {};
  }
};

}  // namespace braidlog::testing
