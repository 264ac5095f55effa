#include "dialect/tasks/resources.h"

#include <string>
#include <utility>

#include "base/json.h"
#include "dialect/media_type.h"
#include "dialect/session_items.h"
#include "dialect/tasks/download_name.h"

namespace braidlog::tasks {

namespace {

// {"KEY":[…]}, each item written by `write`.
template <class List, class Write>
HttpResponse list_response(std::string_view key, const List& list, Write write) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key(key).begin_array();
  for (const auto& item : list) write(w, item);
  w.end_array().end_object();
  return HttpResponse::json(200, std::move(body));
}

}  // namespace

HttpResponse task_list(const api::TaskList& list) {
  return list_response("tasks", list, write_task);
}

HttpResponse task_body(const api::Task& task) {
  std::string body;
  JsonWriter w(body);
  write_task(w, task);
  return HttpResponse::json(200, std::move(body));
}

HttpResponse artifact_list(const api::ArtifactList& list) {
  return list_response("artifacts", list, [](JsonWriter& w, const api::Artifact& artifact) {
    write_artifact(w, artifact, ArtifactContent::kLeftOut);
  });
}

HttpResponse artifact_body(const api::Artifact& artifact) {
  std::string body;
  JsonWriter w(body);
  write_artifact(w, artifact, ArtifactContent::kShown);
  return HttpResponse::json(200, std::move(body));
}

HttpResponse artifact_download(api::Artifact artifact) {
  const DownloadName name = download_name(artifact.name);
  HttpResponse response;
  response.status = 200;
  response.set("Content-Type", std::string(name.media_type));
  response.set("Content-Disposition", attachment_disposition(name.file));
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Content-Security-Policy", "default-src 'none'; sandbox");
  response.set("Cache-Control", "no-store");
  response.body = std::move(artifact.content);
  return response;
}

HttpResponse artifact_deleted(const api::DeletedArtifact&) {
  return HttpResponse::empty(204);
}

HttpResponse data_item_list(const api::DataItemList& list) {
  return list_response("dataItems", list, write_data_item);
}

HttpResponse data_item_body(const api::DataItem& item) {
  std::string body;
  JsonWriter w(body);
  write_data_item(w, item);
  return HttpResponse::json(200, std::move(body));
}

}  // namespace braidlog::tasks
