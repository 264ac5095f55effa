#include "dialect/conversation/request.h"

#include <utility>

#include "base/json.h"
#include "base/utf8.h"
#include "dialect/body_fields.h"
#include "dialect/contracts.h"
#include "dialect/path_ids.h"
#include "dialect/request_fields.h"
#include "dialect/title.h"

namespace braidlog::conversation {

namespace {

constexpr NumberRule kPage{.min = 1, .max = 100, .fallback = 20};
constexpr std::size_t kCursorBytesMax = 256;

// For this turn only. A form that was left empty gives none.
Result<std::optional<std::string>> context_field(const BodyFields& fields, const Limits& limits) {
  auto context = fields.string("context");
  if (!context || !*context) return context;
  if (auto status = check_text("context", **context, limits.context_bytes_max); !status) {
    return fail(std::move(status.error()));
  }
  if (is_blank(**context)) context->reset();
  return context;
}

// What must be equal for the same key to mean the same run. The conversation is not in it: keys belong to the named
// conversation already, or to the caller.
std::string fingerprint_of(const HttpRequest& http, const api::StartRun& command) {
  std::string out;
  JsonWriter w(out);
  w.begin_array().string(http.path).string(command.text);
  command.context ? w.string(*command.context) : w.null();
  w.end_array();
  return out;
}

}  // namespace

Result<api::StartRun> read_message(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kRequired);
  if (!fields) return fail(fields.error());
  auto text = required_message(request, *fields);
  if (!text) return fail(std::move(text.error()));
  auto context = context_field(*fields, request.limits);
  if (!context) return fail(std::move(context.error()));
  const auto conversation = fields->string("conversation_id");
  if (!conversation) return fail(conversation.error());
  auto key = idempotency_key(request);
  if (!key) return fail(std::move(key.error()));
  api::StartRun command;
  if (*conversation) {
    const auto id = session_id_of(**conversation);
    if (!id) return fail(id.error());
    command.session_id = *id;
  } else {
    command.title = title_of(*text);
  }
  command.contract = kConversationContract;
  command.text = std::move(*text);
  command.context = std::move(*context);
  command.idempotency_key = std::move(*key);
  if (!command.idempotency_key.empty()) command.fingerprint = fingerprint_of(request.http, command);
  return command;
}

Result<api::ListConversations> read_history(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  const auto limit = number_parameter(request.http, "limit", kPage);
  if (!limit) return fail(limit.error());
  const auto everybody = wants_everybody(request.http);
  if (!everybody) return fail(everybody.error());
  const auto cursor = request.http.parameter("cursor").value_or("");
  if (cursor.size() > kCursorBytesMax) return bad_field("cursor", "is none of this server's");
  return api::ListConversations{.limit = *limit, .cursor = std::string(cursor), .everybody = *everybody};
}

Result<api::GetConversation> read_get(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::GetConversation{id}; });
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

}  // namespace braidlog::conversation
