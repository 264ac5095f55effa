#include "dialect/steps/request.h"

#include <optional>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "dialect/body_fields.h"
#include "dialect/contracts.h"
#include "dialect/path_ids.h"
#include "dialect/request_fields.h"

namespace braidlog::steps {

namespace {

Result<api::StartRun> start_run(const RouteRequest& request, std::optional<std::string> query) {
  if (!query || is_blank(*query)) return fail(ErrorCode::kBadField, "Query parameter is required", "query");
  if (auto status = check_text("query", *query, request.limits.message_bytes_max); !status) {
    return fail(std::move(status.error()));
  }
  auto key = idempotency_key(request);
  if (!key) return fail(std::move(key.error()));
  const auto session_id = session_id_of(request.captured[0]);
  if (!session_id) return fail(session_id.error());
  api::StartRun command;
  command.session_id = *session_id;
  command.contract = kStepsContract;
  command.way = Way::kSteps;
  // Keys are kept per session, so the path is the same for every spelling of the session's id.
  if (!key->empty()) command.fingerprint = "steps/stream\n" + *query;
  command.text = std::move(*query);
  command.idempotency_key = std::move(*key);
  return command;
}

}  // namespace

Result<api::StartRun> read_linked_query(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  const auto text = request.http.parameter("query");
  auto command = start_run(request, text ? std::optional(std::string(*text)) : std::nullopt);
  // A browser that reconnects by itself sends the same link again: that is no second question.
  if (command) command->attaches = true;
  return command;
}

Result<api::StartRun> read_posted_query(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kOptional);
  if (!fields) return fail(fields.error());
  auto query = fields->string("query");
  if (!query) return fail(std::move(query.error()));
  return start_run(request, std::move(*query));
}

Result<api::GetSession> read_session(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::GetSession{id}; });
}

Result<api::ListSteps> read_list_steps(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::ListSteps{id}; });
}

}  // namespace braidlog::steps
