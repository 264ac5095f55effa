#include "dialect/tasks/request.h"

#include <utility>

#include "base/utf8.h"
#include "dialect/body_fields.h"
#include "dialect/contracts.h"
#include "dialect/path_ids.h"
#include "dialect/request_fields.h"
#include "dialect/session_items.h"

namespace braidlog::tasks {

namespace {

// `what` is the same for every spelling of the session's id: keys are kept per session.
Result<api::StartRun> start(const RouteRequest& request, Way way, std::string_view what, std::string text) {
  auto key = idempotency_key(request);
  if (!key) return fail(std::move(key.error()));
  const auto session_id = session_id_of(request.captured[0]);
  if (!session_id) return fail(session_id.error());
  api::StartRun command;
  command.session_id = *session_id;
  command.contract = kTasksContract;
  command.way = way;
  if (!key->empty()) command.fingerprint = std::string(what) + "\n" + text;
  command.text = std::move(text);
  command.idempotency_key = std::move(*key);
  return command;
}

// One of the things that a session holds.
template <class Query, auto ReadId>
Result<Query> one_of_session(const RouteRequest& request) {
  const auto session_id = session_id_of(request.captured[0]);
  if (!session_id) return fail(session_id.error());
  const auto id = ReadId(request.captured[1]);
  if (!id) return fail(id.error());
  return Query{.session_id = *session_id, .id = *id};
}

}  // namespace

Result<api::StartRun> read_chat(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kRequired);
  if (!fields) return fail(fields.error());
  auto text = required_message(request, *fields);
  if (!text) return fail(std::move(text.error()));
  return start(request, Way::kConverse, "tasks/chat", std::move(*text));
}

Result<api::StartRun> read_execute(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kOptional);
  if (!fields) return fail(fields.error());
  return start(request, Way::kExecute, "tasks/execute", {});
}

Result<api::ListTasks> read_list_tasks(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::ListTasks{id}; });
}

Result<api::GetTask> read_get_task(const RouteRequest& request) {
  return one_of_session<api::GetTask, task_id_of>(request);
}

Result<api::ListArtifacts> read_list_artifacts(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  const auto type = request.http.parameter("type");
  if (type && !is_artifact_type(*type)) return bad_field("type", "must be document, note, summary, plan or other");
  return session_id_of(request.captured[0]).map([&](SessionId id) {
    return api::ListArtifacts{.session_id = id, .type = std::string(type.value_or(""))};
  });
}

Result<api::GetArtifact> read_get_artifact(const RouteRequest& request) {
  return one_of_session<api::GetArtifact, artifact_id_of>(request);
}

Result<api::DeleteArtifact> read_delete_artifact(const RouteRequest& request) {
  return one_of_session<api::DeleteArtifact, artifact_id_of>(request);
}

Result<api::ListDataItems> read_list_data_items(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  const auto type = request.http.parameter("item_type");
  if (type && is_blank(*type)) return bad_field("item_type", "must not be blank");
  return session_id_of(request.captured[0]).map([&](SessionId id) {
    return api::ListDataItems{.session_id = id, .item_type = std::string(type.value_or(""))};
  });
}

Result<api::GetDataItem> read_get_data_item(const RouteRequest& request) {
  return one_of_session<api::GetDataItem, data_item_id_of>(request);
}

}  // namespace braidlog::tasks
