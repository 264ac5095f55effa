// What agents that plan and act left in a session: tasks, artifacts and data items; and the session with all of it.
#include <algorithm>

#include "engine/service_support.h"
#include "engine/session_history.h"

namespace braidlog {

namespace {

Result<api::Task> read_task(StoreReader& reader, const api::GetTask& query) {
  auto tasks = reader.tasks(query.session_id);
  if (!tasks) return fail(tasks.error());
  const auto task = std::ranges::find(*tasks, query.id, &api::Task::id);
  if (task == tasks->end()) return fail(ErrorCode::kTaskNotFound, "Task not found");
  return std::move(*task);
}

Result<api::WholeSession> read_whole(StoreReader& reader, SessionId id) {
  auto read = read_session(reader, id);
  if (!read) return fail(read.error());
  auto tasks = reader.tasks(id);
  if (!tasks) return fail(tasks.error());
  auto artifacts = reader.artifacts(id, "");
  if (!artifacts) return fail(artifacts.error());
  auto data_items = reader.data_items(id, "");
  if (!data_items) return fail(data_items.error());
  return api::WholeSession{std::move(read->session), std::move(read->history), std::move(*tasks), std::move(*artifacts),
                           std::move(*data_items)};
}

}  // namespace

template <class T, class Read>
void EngineService::read_in_session(const api::Caller& caller, SessionId id, api::Reply<T> reply, Read read) {
  with_session(caller, id, Want::kRead, std::move(reply),
               [this, read = std::move(read)](const api::Session&, api::Reply<T> reply) mutable {
                 read_then(engine_.store, loop_, std::move(read), std::move(reply));
               });
}

void EngineService::handle(const api::Caller& caller, api::GetWholeSession query, api::Reply<api::WholeSession> reply) {
  read_then(
      engine_.store, loop_, [id = query.id](StoreReader& reader) { return read_whole(reader, id); },
      [caller, reply = std::move(reply)](Result<api::WholeSession> found) mutable {
        if (!found) return reply(fail(found.error()));
        if (!visible(caller, found->session.user_id)) return reply(session_not_found());
        reply(std::move(found));
      });
}

void EngineService::handle(const api::Caller& caller, api::ListTasks query, api::Reply<api::TaskList> reply) {
  read_in_session(caller, query.session_id, std::move(reply),
                  [query](StoreReader& reader) { return reader.tasks(query.session_id); });
}

void EngineService::handle(const api::Caller& caller, api::GetTask query, api::Reply<api::Task> reply) {
  read_in_session(caller, query.session_id, std::move(reply),
                  [query](StoreReader& reader) { return read_task(reader, query); });
}

void EngineService::handle(const api::Caller& caller, api::ListArtifacts query, api::Reply<api::ArtifactList> reply) {
  read_in_session(caller, query.session_id, std::move(reply),
                  [query](StoreReader& reader) { return reader.artifacts(query.session_id, query.type); });
}

void EngineService::handle(const api::Caller& caller, api::GetArtifact query, api::Reply<api::Artifact> reply) {
  read_in_session(caller, query.session_id, std::move(reply),
                  [query](StoreReader& reader) { return reader.artifact(query.session_id, query.id); });
}

void EngineService::handle(const api::Caller& caller, api::ListDataItems query, api::Reply<api::DataItemList> reply) {
  read_in_session(caller, query.session_id, std::move(reply),
                  [query](StoreReader& reader) { return reader.data_items(query.session_id, query.item_type); });
}

void EngineService::handle(const api::Caller& caller, api::GetDataItem query, api::Reply<api::DataItem> reply) {
  read_in_session(caller, query.session_id, std::move(reply),
                  [query](StoreReader& reader) { return reader.data_item(query.session_id, query.id); });
}

void EngineService::handle(const api::Caller& caller, api::DeleteArtifact command,
                           api::Reply<api::DeletedArtifact> reply) {
  with_session(caller, command.session_id, Want::kWrite, std::move(reply),
               [this, command](const api::Session&, api::Reply<api::DeletedArtifact> reply) {
                 submit_one(engine_.store, RemoveArtifact{command.session_id, command.id}, loop_,
                            [reply = std::move(reply)](Result<WriteOutcome> removed) mutable {
                              removed ? reply(api::DeletedArtifact{}) : reply(fail(removed.error()));
                            });
               });
}

}  // namespace braidlog
