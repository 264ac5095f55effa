#include "dialect/sessions/resources.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "dialect/session_items.h"
#include "dialect/sessions/status.h"

namespace braidlog::sessions {

namespace {

// The fields that every form of a session begins with; the caller closes the object.
void begin_session(JsonWriter& w, const api::Session& session) {
  w.begin_object();
  w.key("id").string(to_uuid(session.id));
  w.key("session_id").string(to_uuid(session.id));
  w.key("title").string(session.title);
  w.key("status").string(status_name(session.status));
  w.key("createdAt").string(to_iso8601(session.created_at));
  w.key("updatedAt").string(to_iso8601(session.updated_at));
}

HttpResponse session_response(int status, const api::Session& session) {
  std::string body;
  JsonWriter w(body);
  begin_session(w, session);
  w.end_object();
  return HttpResponse::json(status, std::move(body));
}

void write_message(JsonWriter& w, const api::Message& message) {
  w.begin_object();
  w.key("id").string(to_uuid(message.id));
  w.key("role").string(message.role);
  w.key("content").string(message.content);
  w.key("createdAt").string(to_iso8601(message.created_at));
  w.end_object();
}

}  // namespace

HttpResponse session_created(const api::Session& session) {
  return session_response(201, session);
}

HttpResponse session_body(const api::Session& session) {
  return session_response(200, session);
}

HttpResponse session_list(const api::SessionList& list) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("sessions").begin_array();
  for (const auto& session : list.items) {
    begin_session(w, session);
    w.end_object();
  }
  w.end_array().key("total").number(list.total).end_object();
  return HttpResponse::json(200, std::move(body));
}

HttpResponse session_detail(const api::WholeSession& whole) {
  std::string body;
  JsonWriter w(body);
  begin_session(w, whole.session);
  w.key("tasks").begin_array();
  for (const auto& task : whole.tasks) write_task(w, task);
  w.end_array().key("messages").begin_array();
  for (const auto& message : whole.messages) write_message(w, message);
  w.end_array().key("artifacts").begin_array();
  for (const auto& artifact : whole.artifacts) write_artifact(w, artifact, ArtifactContent::kLeftOut);
  w.end_array().key("dataItems").begin_array();
  for (const auto& item : whole.data_items) write_data_item(w, item);
  w.end_array().key("activeRunId");
  whole.session.active_run ? w.string(to_uuid(*whole.session.active_run)) : w.null();
  w.end_object();
  return HttpResponse::json(200, std::move(body));
}

HttpResponse session_deleted(const api::DeletedSession&) {
  return HttpResponse::empty(204);
}

}  // namespace braidlog::sessions
