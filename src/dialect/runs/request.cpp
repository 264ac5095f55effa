#include "dialect/runs/request.h"

#include <utility>

#include "base/utf8.h"
#include "dialect/body_fields.h"
#include "dialect/contracts.h"
#include "dialect/path_ids.h"
#include "dialect/request_fields.h"
#include "dialect/resume.h"

namespace braidlog::runs {

namespace {

constexpr std::uint32_t kSessionsPerPage = 100;

Result<StreamRequest> stream_of(Result<api::GetRun> run, std::string contract, const HttpRequest& http) {
  if (!run) return fail(std::move(run.error()));
  auto after = last_event_id(http);
  if (after && after->run_id != run->id) after.reset();
  return StreamRequest{.run = std::move(*run), .contract = std::move(contract), .after = after};
}

Result<api::Decide> decide(const RouteRequest& request, api::Decide command) {
  const auto session_id = session_id_of(request.captured[0]);
  if (!session_id) return fail(session_id.error());
  const auto approval_id = approval_id_of(request.captured[1]);
  if (!approval_id) return fail(approval_id.error());
  command.session_id = *session_id;
  command.approval_id = *approval_id;
  return command;
}

}  // namespace

Result<api::CreateSession> read_create_session(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kOptional);
  if (!fields) return fail(fields.error());
  auto agent = fields->string("agent");
  if (!agent) return fail(std::move(agent.error()));
  if (*agent && is_blank(**agent)) return bad_field("agent", "must not be blank");
  const auto auto_approve = fields->boolean("auto_approve");
  if (!auto_approve) return fail(auto_approve.error());
  return api::CreateSession{.title = {},
                            .agent = agent->value_or(""),
                            .contract = std::string(kRunsContract),
                            .auto_approve = auto_approve->value_or(false)};
}

Result<api::ListSessions> read_list_sessions(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  const auto limit = number_parameter(request.http, "limit", {1, kSessionsPerPage, kSessionsPerPage});
  if (!limit) return fail(limit.error());
  const auto offset = number_parameter(request.http, "offset", {0, 1'000'000'000, 0});
  if (!offset) return fail(offset.error());
  const auto everybody = wants_everybody(request.http);
  if (!everybody) return fail(everybody.error());
  return api::ListSessions{.limit = *limit, .offset = *offset, .everybody = *everybody};
}

Result<api::GetSession> read_get_session(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::GetSession{id}; });
}

Result<api::DeleteSession> read_delete_session(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::DeleteSession{id}; });
}

Result<api::SetAutoApprove> read_auto_approve(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kRequired);
  if (!fields) return fail(fields.error());
  const auto enabled = fields->boolean("enabled");
  if (!enabled) return fail(enabled.error());
  if (!*enabled) return bad_field("enabled", "is required");
  return session_id_of(request.captured[0]).map([&](SessionId id) { return api::SetAutoApprove{id, **enabled}; });
}

Result<api::StartRun> read_message(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kRequired);
  if (!fields) return fail(fields.error());
  auto text = required_message(request, *fields);
  if (!text) return fail(std::move(text.error()));
  auto key_in_body = fields->string("idempotency_key");
  if (!key_in_body) return fail(std::move(key_in_body.error()));
  auto key = idempotency_key(request, *key_in_body);
  if (!key) return fail(std::move(key.error()));
  const auto session_id = session_id_of(request.captured[0]);
  if (!session_id) return fail(session_id.error());
  api::StartRun command;
  command.session_id = *session_id;
  command.contract = kRunsContract;
  // Keys are kept per session, so the path is the same for every spelling of the session's id.
  if (!key->empty()) command.fingerprint = "runs/messages\n" + *text;
  command.text = std::move(*text);
  command.idempotency_key = std::move(*key);
  return command;
}

Result<api::ListRuns> read_list_runs(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::ListRuns{id}; });
}

Result<api::GetRun> read_session_run(const RouteRequest& request) {
  const auto session_id = session_id_of(request.captured[0]);
  if (!session_id) return fail(session_id.error());
  return run_id_of(request.captured[1]).map([&](RunId id) { return api::GetRun{id, *session_id}; });
}

Result<api::GetRun> read_run(const RouteRequest& request) {
  return run_id_of(request.captured[0]).map([](RunId id) { return api::GetRun{id, std::nullopt}; });
}

Result<api::Interrupt> read_interrupt(const RouteRequest& request) {
  auto run = read_session_run(request);
  if (!run) return fail(std::move(run.error()));
  return api::Interrupt{.id = run->id, .session_id = run->session_id, .reason = "user"};
}

Result<StreamRequest> read_session_stream(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  return stream_of(read_session_run(request), std::string(kRunsContract), request.http);
}

Result<StreamRequest> read_stream(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  const std::string_view contract = request.http.parameter("contract").value_or(kRunsContract);
  if (!is_contract(contract) && contract != kAllContracts)
    return bad_field("contract", "names no contract of this server");
  auto stream = stream_of(read_run(request), std::string(contract), request.http);
  // Its frames have no ids, so nobody can have one of them: the stream begins at the first.
  if (stream && contract == kTasksContract) stream->after.reset();
  return stream;
}

Result<api::ListApprovals> read_all_approvals(const RouteRequest& request) {
  if (auto status = check_query(request.http); !status) return fail(std::move(status.error()));
  const auto everybody = wants_everybody(request.http);
  if (!everybody) return fail(everybody.error());
  return api::ListApprovals{.session_id = std::nullopt, .everybody = *everybody};
}

Result<api::ListApprovals> read_session_approvals(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::ListApprovals{id}; });
}

Result<api::Decide> read_approve(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kOptional);
  if (!fields) return fail(fields.error());
  const auto apply_to_future = fields->boolean("apply_to_future");
  if (!apply_to_future) return fail(apply_to_future.error());
  api::Decide command;
  command.verdict = Verdict::kApproved;
  command.apply_to_future = apply_to_future->value_or(false);
  return decide(request, std::move(command));
}

Result<api::Decide> read_reject(const RouteRequest& request) {
  const auto fields = BodyFields::read(request.http.body, BodyPresence::kOptional);
  if (!fields) return fail(fields.error());
  auto reason = fields->string("reason");
  if (!reason) return fail(std::move(reason.error()));
  api::Decide command;
  command.verdict = Verdict::kRejected;
  command.reason = reason->value_or("");
  if (auto status = check_text("reason", command.reason, request.limits.message_bytes_max); !status) {
    return fail(std::move(status.error()));
  }
  // A form that was left empty gives no reason.
  if (is_blank(command.reason)) command.reason = "user_rejected";
  return decide(request, std::move(command));
}

}  // namespace braidlog::runs
