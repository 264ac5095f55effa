// A session together with its messages and tasks, read at one moment.
#pragma once

#include <utility>
#include <vector>

#include "port/run_store.h"

namespace braidlog {

struct SessionAndHistory {
  api::Session session;
  std::vector<api::Message> history;
  std::vector<KnownTask> tasks;
};

inline Result<SessionAndHistory> read_session(StoreReader& reader, SessionId id) {
  auto session = reader.session(id);
  if (!session) return fail(session.error());
  auto history = reader.messages(id, session->message_count);
  if (!history) return fail(history.error());
  SessionAndHistory found{std::move(*session), std::move(*history), {}};
  if (found.session.task_version == 0) return found;  // it never had a task
  auto tasks = reader.tasks(id);
  if (!tasks) return fail(tasks.error());
  for (auto& task : *tasks) {
    TaskItem item{task.id, std::move(task.title), std::move(task.description), task.status, task.order};
    found.tasks.push_back({std::move(item), std::move(task.result).value_or("")});
  }
  return found;
}

}  // namespace braidlog
