#include "dialect/identity/routes.h"

#include <utility>

#include "dialect/ask_and_render.h"
#include "dialect/body_fields.h"
#include "dialect/identity/errors.h"
#include "dialect/identity/resources.h"
#include "dialect/request_fields.h"

namespace braidlog {

namespace {

using namespace identity;

// Longer ones than any user has; what is longer is not worth the work of checking it.
constexpr std::size_t kUsernameBytesMax = 256;
constexpr std::size_t kPasswordBytesMax = 1024;
constexpr NumberRule kAlertsRule{.min = 1, .max = 1000, .fallback = 100};

Result<std::string> required(const BodyFields& fields, std::string_view name, std::size_t bytes_max) {
  auto value = fields.string(name);
  if (!value) return fail(value.error());
  if (!*value || (*value)->empty()) return bad_field(name, "is required");
  if (auto checked = check_text(name, **value, bytes_max); !checked) return fail(checked.error());
  return std::move(**value);
}

Result<api::LogIn> read_log_in(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kRequired);
  if (!fields) return fail(fields.error());
  auto username = required(*fields, "username", kUsernameBytesMax);
  if (!username) return fail(username.error());
  auto password = required(*fields, "password", kPasswordBytesMax);
  if (!password) return fail(password.error());
  return api::LogIn{std::move(*username), std::move(*password), request.client.address};
}

Answer log_in(const RouteRequest& request) {
  auto command = read_log_in(request);
  if (!command) return error_response(command.error());
  return ask(std::move(*command), [is_secure = request.client.is_secure](Result<api::LoggedIn> reply) -> Answer {
    return reply ? logged_in(*reply, is_secure) : error_response(reply.error());
  });
}

Answer log_out(const RouteRequest& request) {
  return ask(api::LogOut{}, [is_secure = request.client.is_secure](Result<api::LoggedOut> reply) -> Answer {
    return reply ? logged_out(is_secure) : error_response(reply.error());
  });
}

Result<api::GetMe> read_get_me(const RouteRequest&) {
  return api::GetMe{};
}

Result<api::ListAlerts> read_list_alerts(const RouteRequest& request) {
  const auto limit = number_parameter(request.http, "limit", kAlertsRule);
  if (!limit) return fail(limit.error());
  return api::ListAlerts{*limit};
}

template <auto Read, auto Render>
constexpr auto handle = ask_and_render<Read, Render, error_response>;

constexpr bool kAnswers = false;

constexpr Route kRoutes[] = {
    {Method::kPost, "/auth/login", Access::kOpen, BodyRule::kJson, kAnswers, log_in},
    {Method::kPost, "/auth/logout", Access::kUser, BodyRule::kNone, kAnswers, log_out},
    {Method::kGet, "/auth/me", Access::kUser, BodyRule::kNone, kAnswers, handle<read_get_me, me_body>},
    {Method::kGet, "/alerts", Access::kAdmin, BodyRule::kNone, kAnswers, handle<read_list_alerts, alerts_body>},
};

}  // namespace

std::span<const Route> IdentityDialect::routes() const {
  return kRoutes;
}

std::unique_ptr<Projection> IdentityDialect::make_projection(RunId) const {
  return nullptr;
}

HttpResponse IdentityDialect::error(const Error& error, RequestId) const {
  return error_response(error);
}

bool IdentityDialect::owns_path(std::string_view path) const {
  return path == "/auth" || path.starts_with("/auth/") || path == "/alerts";
}

}  // namespace braidlog
