#include "dialect/steps/routes.h"

#include <algorithm>
#include <utility>

#include "dialect/ask_and_render.h"
#include "dialect/contracts.h"
#include "dialect/path_ids.h"
#include "dialect/resume.h"
#include "dialect/steps/errors.h"
#include "dialect/steps/projection.h"
#include "dialect/steps/request.h"
#include "dialect/steps/resources.h"

namespace braidlog {

namespace {

using namespace steps;

template <auto Read, auto Render>
constexpr auto handle = ask_and_render<Read, Render, error_response>;

OpenStream stream_of(const api::StartedRun& run) {
  OpenStream stream;
  stream.run_id = run.run_id;
  stream.contract = kStepsContract;
  return stream;
}

// Who comes back for the rest of a run never starts one. The session is looked up first: one that is unknown or
// somebody else's is an error, an id of no run of it is not.
Answer rest_of_run(const RouteRequest& request) {
  const auto session_id = session_id_of(request.captured[0]);
  if (!session_id) return error_response(session_id.error());
  ResumeRule rule{kStepsContract, error_response};
  rule.session_id = *session_id;
  auto rest = resume_run(request.http, rule);
  return ask(api::GetSession{*session_id}, [rest = std::move(*rest)](Result<api::Session> session) mutable -> Answer {
    return session ? std::move(rest) : error_response(session.error());
  });
}

template <auto Read>
Answer stream(const RouteRequest& request) {
  if (last_event_id_text(request.http)) return rest_of_run(request);
  auto command = Read(request);
  if (!command) return error_response(command.error());
  return ask(std::move(*command), [](Result<api::StartedRun> run) -> Answer {
    return run ? Answer(stream_of(*run)) : Answer(error_response(run.error()));
  });
}

Answer interrupt_run(SessionId session_id, RunId run_id) {
  return ask(api::Interrupt{.id = run_id, .session_id = session_id, .reason = "user"},
             [](Result<api::Run> run) -> Answer {
               // An admin sees the sessions of others and stops nothing in them.
               if (!run && run.error().code == ErrorCode::kRunNotFound) {
                 return error_response({ErrorCode::kSessionNotFound, {}, {}});
               }
               if (!run) return error_response(run.error());
               return is_over(run->status) ? error_response(no_active_run()) : interrupted();  // it ended by itself
             });
}

// The path names a session, and what can be stopped is its run.
Answer interrupt(const RouteRequest& request) {
  auto query = read_session(request);
  if (!query) return error_response(query.error());
  return ask(std::move(*query), [](Result<api::Session> session) -> Answer {
    if (!session) return error_response(session.error());
    if (!session->active_run) return error_response(no_active_run());
    return interrupt_run(session->id, *session->active_run);
  });
}

Answer list_steps(const RouteRequest& request) {
  auto query = read_list_steps(request);
  if (!query) return error_response(query.error());
  return ask(std::move(*query), [bytes_max = request.limits.wire_text_bytes_max](Result<api::StepList> list) -> Answer {
    return list ? step_list(*list, bytes_max) : error_response(list.error());
  });
}

constexpr bool kStreams = true;
constexpr bool kAnswers = false;
constexpr bool kStartsRun = true;

constexpr Route kRoutes[] = {
    {Method::kGet, "/sessions/{}/stream", Access::kUser, BodyRule::kNone, kStreams, stream<read_linked_query>,
     kStartsRun},
    {Method::kPost, "/sessions/{}/stream", Access::kUser, BodyRule::kJson, kStreams, stream<read_posted_query>,
     kStartsRun},
    {Method::kPost, "/sessions/{}/interrupt", Access::kUser, BodyRule::kNone, kAnswers, interrupt},
    {Method::kGet, "/sessions/{}/tokens", Access::kUser, BodyRule::kNone, kAnswers, handle<read_session, tokens_body>},
    {Method::kGet, "/sessions/{}/steps", Access::kUser, BodyRule::kNone, kAnswers, list_steps},
};

}  // namespace

std::string_view StepsDialect::name() const {
  return kStepsContract;
}

std::span<const Route> StepsDialect::routes() const {
  return kRoutes;
}

std::unique_ptr<Projection> StepsDialect::make_projection(RunId run_id) const {
  return std::make_unique<StepsProjection>(run_id, wire_text_bytes_max_);
}

char StepsDialect::part_mark() const {
  return kPartMark;
}

HttpResponse StepsDialect::error(const Error& error, RequestId) const {
  return error_response(error);
}

bool StepsDialect::owns_path(std::string_view path) const {
  constexpr std::string_view kPrefix = "/sessions/";
  constexpr std::string_view kOwn[] = {"stream", "interrupt", "tokens", "steps"};
  if (!path.starts_with(kPrefix)) return false;
  path.remove_prefix(kPrefix.size());
  const auto slash = path.find('/');
  return slash != 0 && slash != std::string_view::npos &&
         std::ranges::find(kOwn, path.substr(slash + 1)) != std::end(kOwn);
}

}  // namespace braidlog
