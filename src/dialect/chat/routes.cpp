// What each request becomes: a run whose client this is, the rest of a run that the client knows already, or the
// answer as a whole when the run is over.
#include "dialect/chat/routes.h"

#include <algorithm>
#include <utility>

#include "dialect/chat/errors.h"
#include "dialect/chat/projection.h"
#include "dialect/chat/request.h"
#include "dialect/chat/resources.h"
#include "dialect/contracts.h"
#include "dialect/resume.h"

namespace braidlog {

namespace {

using namespace chat;

// A run that was there before has a client already; if that client has gone, this one takes its place.
template <ViewerRole Role>
Answer show_stream(const api::StartedRun& started, const AnswerRule&) {
  return OpenStream{.run_id = started.run_id,
                    .contract = std::string(kChatContract),
                    .after = std::nullopt,
                    .role = started.existed ? ViewerRole::kTakesPlace : Role};
}

Answer show_answer(const api::StartedRun& started, const AnswerRule& rule) {
  return AwaitRun{
      .run_id = started.run_id,
      .role = started.existed ? ViewerRole::kViewer : ViewerRole::kClient,
      .render = [rule](const RunState& run, const api::SessionView& view) { return run_answer(run, view, rule); }};
}

// A run that an earlier request made may be past its retention by now.
template <auto Show>
Answer show_existing(const api::StartedRun& started, const AnswerRule& rule) {
  api::GetRun query;
  query.id = started.run_id;
  query.own = true;
  return ask(query, [started, rule](Result<api::Run> run) -> Answer {
    if (!run) return error_response(run.error(), rule.request_id);
    if (!run->replayable) return error_response({ErrorCode::kGone, {}, {}}, rule.request_id);
    return Show(started, rule);
  });
}

template <auto Read, auto Show>
Answer start(const RouteRequest& request) {
  const AnswerRule rule{request.http.id, request.limits.wire_text_bytes_max};
  auto command = Read(request);
  if (!command) return error_response(command.error(), rule.request_id);
  return ask(std::move(*command), [rule](Result<api::StartedRun> started) -> Answer {
    if (!started) return error_response(started.error(), rule.request_id);
    return started->existed ? show_existing<Show>(*started, rule) : Show(*started, rule);
  });
}

// A client that says what it has comes back for the rest; it never starts anything.
template <auto Read, ViewerRole Role>
Answer stream(const RouteRequest& request) {
  const RequestId request_id = request.http.id;
  auto rest =
      resume_run(request.http, {.contract = kChatContract,
                                .error = [request_id](const Error& error) { return error_response(error, request_id); },
                                .role = ViewerRole::kTakesPlace});
  return rest ? std::move(*rest) : start<Read, show_stream<Role>>(request);
}

Answer health(const RouteRequest& request) {
  return ask(api::GetAgent{request.captured[0]}, [id = request.http.id](Result<api::Agent> agent) -> Answer {
    return agent ? agent_health(*agent) : error_response(agent.error(), id);
  });
}

constexpr bool kStreams = true;
constexpr bool kAnswers = false;
constexpr bool kStartsRun = true;

constexpr Route kRoutes[] = {
    {Method::kPost, "/agent/{}/chat/stream", Access::kUser, BodyRule::kFiles, kStreams,
     stream<read_posted_message, ViewerRole::kClient>, kStartsRun},
    {Method::kGet, "/agent/{}/chat/stream", Access::kUser, BodyRule::kNone, kStreams,
     stream<read_linked_message, ViewerRole::kMayComeBack>, kStartsRun},
    {Method::kPost, "/agent/{}/chat", Access::kUser, BodyRule::kFiles, kAnswers,
     start<read_posted_message, show_answer>, kStartsRun},
    {Method::kGet, "/health/agent/{}", Access::kUser, BodyRule::kNone, kAnswers, health},
};

}  // namespace

std::string_view ChatDialect::name() const {
  return kChatContract;
}

std::span<const Route> ChatDialect::routes() const {
  return kRoutes;
}

std::unique_ptr<Projection> ChatDialect::make_projection(RunId run_id) const {
  return std::make_unique<ChatProjection>(run_id, wire_text_bytes_max_);
}

HttpResponse ChatDialect::error(const Error& error, RequestId request_id) const {
  return error_response(error, request_id);
}

bool ChatDialect::owns_path(std::string_view path) const {
  constexpr std::string_view kPrefix = "/agent/";
  constexpr std::string_view kOthers[] = {"/agent/stream", "/agent/history", "/agent/conversations"};
  if (!path.starts_with(kPrefix) || path.size() == kPrefix.size() || path[kPrefix.size()] == '/') return false;
  if (path.starts_with("/agent/conversations/")) return false;
  return std::ranges::find(kOthers, path) == std::end(kOthers);
}

}  // namespace braidlog
