// Each route is one line: how its request is read, and how the reply is rendered. What goes wrong on either
// side becomes this contract's error body.
#include "dialect/runs/routes.h"

#include <utility>

#include "dialect/ask_and_render.h"
#include "dialect/contracts.h"
#include "dialect/resume.h"
#include "dialect/runs/errors.h"
#include "dialect/runs/projection.h"
#include "dialect/runs/request.h"
#include "dialect/runs/resources.h"

namespace braidlog {

namespace {

using namespace runs;

template <auto Read, auto Render>
constexpr auto handle = ask_and_render<Read, Render, error_response>;

// The run is looked up first, so that an unknown or foreign one is an error and not an empty stream.
template <auto Read>
Answer stream(const RouteRequest& request) {
  auto read = Read(request);
  if (!read) return error_response(read.error());
  return ask(std::move(read->run),
             [contract = std::move(read->contract), after = read->after](Result<api::Run> run) mutable -> Answer {
               if (!run) return error_response(run.error());
               if (!run->replayable) return error_response({ErrorCode::kGone, "The events of this run are gone", {}});
               // The client gets everything, not nothing.
               if (after && !is_of_run(*after, *run)) after.reset();
               return OpenStream{.run_id = run->id, .contract = std::move(contract), .after = after};
             });
}

constexpr bool kStreams = true;
constexpr bool kAnswers = false;

constexpr Route kRoutes[] = {
    {Method::kPost, "/api/v1/sessions", Access::kUser, BodyRule::kJson, kAnswers,
     handle<read_create_session, session_created>},
    {Method::kGet, "/api/v1/sessions", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_list_sessions, session_list>},
    {Method::kGet, "/api/v1/sessions/{}", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_get_session, session_detail>},
    {Method::kDelete, "/api/v1/sessions/{}", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_delete_session, session_deleted>},
    {Method::kPost, "/api/v1/sessions/{}/messages", Access::kUser, BodyRule::kJson, kAnswers,
     handle<read_message, run_queued>},
    {Method::kPost, "/api/v1/sessions/{}/settings/auto-approve", Access::kUser, BodyRule::kJson, kAnswers,
     handle<read_auto_approve, auto_approve>},

    {Method::kGet, "/api/v1/sessions/{}/runs", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_list_runs, run_list>},
    {Method::kGet, "/api/v1/sessions/{}/runs/{}", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_session_run, run_status>},
    {Method::kGet, "/api/v1/sessions/{}/runs/{}/stream", Access::kUser, BodyRule::kNone, kStreams,
     stream<read_session_stream>},
    {Method::kPost, "/api/v1/sessions/{}/runs/{}/interrupt", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_interrupt, run_interrupting>},
    {Method::kGet, "/api/v1/runs/{}", Access::kUser, BodyRule::kNone, kAnswers, handle<read_run, run_status>},
    {Method::kGet, "/api/v1/runs/{}/stream", Access::kUser, BodyRule::kNone, kStreams, stream<read_stream>},
    // As the contract's own text writes them.
    {Method::kGet, "/runs/{}", Access::kUser, BodyRule::kNone, kAnswers, handle<read_run, run_status>},
    {Method::kGet, "/runs/{}/stream", Access::kUser, BodyRule::kNone, kStreams, stream<read_stream>},

    {Method::kGet, "/api/v1/approvals", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_all_approvals, all_approvals>},
    {Method::kGet, "/api/v1/sessions/{}/approvals", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_session_approvals, session_approvals>},
    {Method::kPost, "/api/v1/sessions/{}/approvals/{}/approve", Access::kUser, BodyRule::kJson, kAnswers,
     handle<read_approve, decided>},
    {Method::kPost, "/api/v1/sessions/{}/approvals/{}/reject", Access::kUser, BodyRule::kJson, kAnswers,
     handle<read_reject, decided>},

    {Method::kPost, "/api/v1/sessions/{}/files/upload", Access::kUser, BodyRule::kUpload, kAnswers,
     handle<read_upload, file_uploaded>},
    {Method::kGet, "/api/v1/sessions/{}/files", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_list_files, file_list>},
    {Method::kGet, "/api/v1/sessions/{}/files/{*}", Access::kUser, BodyRule::kNone, kAnswers,
     handle<read_get_file, file_download>},
};

}  // namespace

std::string_view RunsDialect::name() const {
  return kRunsContract;
}

std::span<const Route> RunsDialect::routes() const {
  return kRoutes;
}

std::unique_ptr<Projection> RunsDialect::make_projection(RunId run_id) const {
  return std::make_unique<RunsProjection>(run_id, wire_text_bytes_max_);
}

HttpResponse RunsDialect::error(const Error& error, RequestId) const {
  return error_response(error);
}

bool RunsDialect::owns_path(std::string_view path) const {
  constexpr std::string_view kPrefix = "/api/v1";
  if (!path.starts_with(kPrefix)) return false;
  return path.size() == kPrefix.size() || path[kPrefix.size()] == '/';
}

}  // namespace braidlog
