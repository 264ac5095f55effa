// Who was cut off reads the state of the session, and no frame twice: there is no resume here. A Last-Event-ID is not
// looked at, so a request that would start a run does.
#include "dialect/tasks/routes.h"

#include <algorithm>
#include <utility>

#include "dialect/ask_and_render.h"
#include "dialect/contracts.h"
#include "dialect/tasks/errors.h"
#include "dialect/tasks/projection.h"
#include "dialect/tasks/request.h"
#include "dialect/tasks/resources.h"

namespace braidlog {

namespace {

using namespace tasks;

template <auto Read, auto Render>
constexpr auto handle = ask_and_render<Read, Render, error_response>;

Answer stream_of(const api::StartedRun& run) {
  OpenStream stream;
  stream.run_id = run.run_id;
  stream.contract = kTasksContract;
  return stream;
}

constexpr bool kStreams = true;
constexpr bool kAnswers = false;
constexpr bool kStartsRun = true;

constexpr Route kRoutes[] = {
    {Method::kPost, "/sessions/{}/chat", Access::kUser, BodyRule::kJson, kStreams, handle<read_chat, stream_of>,
     kStartsRun},
    {Method::kPost, "/sessions/{}/execute", Access::kUser, BodyRule::kJson, kStreams, handle<read_execute, stream_of>,
     kStartsRun},

    {Method::kGet, "/sessions/{}/tasks", Access::kUser, BodyRule::kNone, kAnswers, handle<read_list_tasks, task_list>},
    {Method::kGet, "/sessions/{}/tasks/{}", Access::kUser, BodyRule::kNone, kAnswers, handle<read_get_task, task_body>},

    {Method::kGet, "/sessions/{}/artifacts", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_list_artifacts, artifact_list>},
    {Method::kGet, "/sessions/{}/artifacts/{}", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_get_artifact, artifact_body>},
    {Method::kGet, "/sessions/{}/artifacts/{}/download", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_get_artifact, artifact_download>},
    {Method::kDelete, "/sessions/{}/artifacts/{}", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_delete_artifact, artifact_deleted>},

    {Method::kGet, "/sessions/{}/data-items", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_list_data_items, data_item_list>},
    {Method::kGet, "/sessions/{}/data-items/{}", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_get_data_item, data_item_body>},
};

}  // namespace

std::string_view TasksDialect::name() const {
  return kTasksContract;
}

std::span<const Route> TasksDialect::routes() const {
  return kRoutes;
}

std::unique_ptr<Projection> TasksDialect::make_projection(RunId) const {
  return std::make_unique<TasksProjection>(wire_text_bytes_max_);
}

HttpResponse TasksDialect::error(const Error& error, RequestId) const {
  return error_response(error);
}

bool TasksDialect::owns_path(std::string_view path) const {
  constexpr std::string_view kPrefix = "/sessions/";
  constexpr std::string_view kOwn[] = {"chat", "execute", "tasks", "artifacts", "data-items"};
  if (!path.starts_with(kPrefix)) return false;
  path.remove_prefix(kPrefix.size());
  const auto slash = path.find('/');
  if (slash == std::string_view::npos) return false;
  path.remove_prefix(slash + 1);
  return std::ranges::find(kOwn, path.substr(0, path.find('/'))) != std::end(kOwn);
}

}  // namespace braidlog
