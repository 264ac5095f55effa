#include "dialect/sessions/routes.h"

#include <utility>

#include "dialect/ask_and_render.h"
#include "dialect/sessions/errors.h"
#include "dialect/sessions/request.h"
#include "dialect/sessions/resources.h"

namespace braidlog {

namespace {

using namespace sessions;

template <auto Read, auto Render>
constexpr auto handle = ask_and_render<Read, Render, error_response>;

constexpr bool kAnswers = false;

constexpr Route kRoutes[] = {
    {Method::kPost, "/sessions", Access::kUser, BodyRule::kJson, kAnswers, handle<read_create, session_created>},
    {Method::kGet, "/sessions", Access::kUser, BodyRule::kNone, kAnswers, handle<read_list, session_list>},
    {Method::kGet, "/sessions/{}", Access::kUser, BodyRule::kNone, kAnswers, handle<read_get, session_detail>},
    {Method::kPatch, "/sessions/{}", Access::kUser, BodyRule::kJson, kAnswers, handle<read_rename, session_body>},
    {Method::kDelete, "/sessions/{}", Access::kUser, BodyRule::kNone, kAnswers, handle<read_delete, session_deleted>},
};

}  // namespace

std::string_view SessionsDialect::name() const {
  return "sessions";
}

std::span<const Route> SessionsDialect::routes() const {
  return kRoutes;
}

std::unique_ptr<Projection> SessionsDialect::make_projection(RunId) const {
  return nullptr;
}

HttpResponse SessionsDialect::error(const Error& error, RequestId) const {
  return error_response(error);
}

bool SessionsDialect::owns_path(std::string_view path) const {
  return path == "/sessions" || path.starts_with("/sessions/");
}

}  // namespace braidlog
