#include "dialect/sessions/request.h"

#include <utility>

#include "base/utf8.h"
#include "dialect/body_fields.h"
#include "dialect/path_ids.h"
#include "dialect/request_fields.h"
#include "dialect/sessions/status.h"

namespace braidlog::sessions {

namespace {

constexpr NumberRule kPage{.min = 1, .max = 100, .fallback = 20};
constexpr NumberRule kOffset{.min = 0, .max = 1'000'000'000, .fallback = 0};

}  // namespace

Result<api::CreateSession> read_create(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kOptional);
  if (!fields) return fail(fields.error());
  auto title = title_field(*fields);
  if (!title) return fail(std::move(title.error()));
  auto agent = fields->string("agent");
  if (!agent) return fail(std::move(agent.error()));
  if (*agent && is_blank(**agent)) return bad_field("agent", "must not be blank");
  // No contract of its own: whoever starts a run in it brings one, and with it the default agent.
  return api::CreateSession{.title = title->value_or(""),
                            .agent = agent->value_or(""),
                            .contract = "sessions",
                            .auto_approve = false,
                            .fixes_agent = false};
}

Result<api::ListSessions> read_list(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  std::optional<api::SessionStatus> status;
  if (const auto word = request.http.parameter("status")) {
    status = status_named(*word);
    if (!status) return bad_field("status", "must be planning, executing or completed");
  }
  const auto limit = number_parameter(request.http, "limit", kPage);
  if (!limit) return fail(limit.error());
  const auto offset = number_parameter(request.http, "offset", kOffset);
  if (!offset) return fail(offset.error());
  const auto everybody = wants_everybody(request.http);
  if (!everybody) return fail(everybody.error());
  return api::ListSessions{.limit = *limit, .offset = *offset, .everybody = *everybody, .status = status};
}

Result<api::GetWholeSession> read_get(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::GetWholeSession{id}; });
}

Result<api::RenameSession> read_rename(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kRequired);
  if (!fields) return fail(fields.error());
  auto title = required_title(*fields);
  if (!title) return fail(std::move(title.error()));
  return session_id_of(request.captured[0]).map([&](SessionId id) {
    return api::RenameSession{id, std::move(*title)};
  });
}

Result<api::DeleteSession> read_delete(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::DeleteSession{id}; });
}

}  // namespace braidlog::sessions
