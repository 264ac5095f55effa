#include "dialect/console/routes.h"

#include <utility>

#include "dialect/ask_and_render.h"
#include "dialect/console/errors.h"
#include "dialect/console/request.h"
#include "dialect/console/resources.h"

namespace braidlog {

namespace {

using namespace console;

template <auto Read, auto Render>
constexpr auto handle = ask_and_render<Read, Render, error_response>;

// The answer names the session, which may be new.
Answer start(const RouteRequest& request) {
  auto command = read_start(request);
  if (!command) return error_response(command.error());
  return ask(std::move(*command), [](Result<api::StartedRun> started) -> Answer {
    if (!started) return error_response(started.error());
    return ask(api::GetRun{.id = started->run_id},
               [](Result<api::Run> run) -> Answer { return run ? run_started(*run) : error_response(run.error()); });
  });
}

constexpr bool kAnswers = false;
constexpr bool kStartsRun = true;

constexpr Route kRoutes[] = {
    {Method::kGet, "/console/runs", Access::kUser, BodyRule::kNone, kAnswers, handle<read_find_runs, found_runs>},
    {Method::kPost, "/console/runs", Access::kUser, BodyRule::kFiles, kAnswers, start, kStartsRun},
    {Method::kGet, "/console/agents", Access::kUser, BodyRule::kNone, kAnswers, handle<read_list_agents, agents_body>},
    {Method::kGet, "/console/system", Access::kAdmin, BodyRule::kNone, kAnswers, handle<read_get_system, system_body>},
};

}  // namespace

std::span<const Route> ConsoleDialect::routes() const {
  return kRoutes;
}

HttpResponse ConsoleDialect::error(const Error& error, RequestId) const {
  return error_response(error);
}

bool ConsoleDialect::owns_path(std::string_view path) const {
  return path == "/console" || path.starts_with("/console/");
}

}  // namespace braidlog
