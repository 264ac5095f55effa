#include "dialect/log/routes.h"

#include <utility>

#include "dialect/log/errors.h"
#include "dialect/log/projection.h"
#include "dialect/log/request.h"
#include "dialect/resume.h"

namespace braidlog {

namespace {

// The run is looked up first, so that an unknown or foreign one is an error and not an empty stream.
Answer stream_log(const RouteRequest& request) {
  auto query = log::read_log(request);
  if (!query) return log::error_response(query.error());
  return ask(*query, [after = last_event_id(request.http)](Result<api::Run> run) mutable -> Answer {
    if (!run) return log::error_response(run.error());
    if (!run->replayable) return log::error_response({ErrorCode::kGone, "The events of this run are gone", {}});
    // The client gets everything, not nothing.
    if (after && !is_of_run(*after, *run)) after.reset();
    return OpenStream{.run_id = run->id, .contract = std::string(kLogView), .after = after};
  });
}

Answer watch(const RouteRequest& request) {
  auto open = log::read_watch(request);
  if (!open) return log::error_response(open.error());
  return std::move(*open);
}

constexpr bool kStreams = true;

constexpr Route kRoutes[] = {
    {Method::kGet, "/runs/{}/log", Access::kUser, BodyRule::kNone, kStreams, stream_log},
    {Method::kGet, "/watch", Access::kUser, BodyRule::kNone, kStreams, watch},
};

}  // namespace

std::string_view LogDialect::name() const {
  return kLogView;
}

std::span<const Route> LogDialect::routes() const {
  return kRoutes;
}

std::unique_ptr<Projection> LogDialect::make_projection(RunId run_id) const {
  return std::make_unique<log::LogProjection>(run_id);
}

char LogDialect::part_mark() const {
  return 'l';
}

HttpResponse LogDialect::error(const Error& error, RequestId) const {
  return log::error_response(error);
}

bool LogDialect::owns_path(std::string_view path) const {
  return path == "/watch";
}

}  // namespace braidlog
