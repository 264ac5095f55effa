#include "dialect/runs/resources.h"

#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "dialect/media_type.h"
#include "dialect/run_fields.h"
#include "dialect/runs/errors.h"

namespace braidlog::runs {

namespace {

// The fields that every form of a session begins with; the caller closes the object.
void begin_session(JsonWriter& w, const api::Session& session) {
  w.begin_object();
  w.key("session_id").string(to_prefixed(session.id));
  w.key("created_at").string(to_iso8601(session.created_at));
  w.key("agent");
  session.agent.empty() ? w.null() : w.string(session.agent);
  w.key("settings").begin_object().key("auto_approve").boolean(session.auto_approve).end_object();
}

void write_run(JsonWriter& w, const api::Run& run) {
  w.begin_object();
  w.key("run_id").string(to_prefixed(run.id));
  w.key("session_id").string(to_prefixed(run.session_id));
  w.key("status").string(status_name(run.status));
  w.key("started_at");
  write_time(w, run.started_at);
  w.key("ended_at");
  write_time(w, run.ended_at);
  w.key("error");
  write_error(w, run);
  w.key("usage");
  write_usage(w, run.usage);
  w.end_object();
}

// What `args` shows is what will run: the log's own JSON, never cut.
void begin_approval(JsonWriter& w, const api::Approval& approval) {
  w.begin_object();
  w.key("approval_id").string(to_prefixed(approval.id));
  w.key("run_id").string(to_prefixed(approval.run_id));
  w.key("tool_name").string(approval.tool_name);
  w.key("args").raw(approval.args_json.empty() ? "{}" : approval.args_json);
  w.key("created_at").string(to_iso8601(approval.created_at));
  w.key("status").string("pending");
}

// {"<name>":[…]} with `write` for each item.
template <class List, class Write>
HttpResponse list_response(std::string_view name, const List& list, Write write) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key(name).begin_array();
  for (const auto& item : list) write(w, item);
  w.end_array().end_object();
  return HttpResponse::json(200, std::move(body));
}

HttpResponse run_and_status(int http_status, RunId run_id, RunStatus status) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("run_id").string(to_prefixed(run_id)).key("status").string(status_name(status)).end_object();
  return HttpResponse::json(http_status, std::move(body));
}

}  // namespace

void write_error(JsonWriter& w, const api::Run& run) {
  if (run.status != RunStatus::kFailed) {
    w.null();
    return;
  }
  const auto code = failure_code(run.failure.value_or(FailureCode::kInternal));
  w.begin_object().key("code").string(code).key("message").string(run.failure_message).end_object();
}

std::string_view status_name(RunStatus status) {
  switch (status) {
    case RunStatus::kQueued: return "queued";
    case RunStatus::kRunning: return "running";
    case RunStatus::kWaitingApproval: return "waiting_approval";
    case RunStatus::kInterrupting: return "interrupting";
    case RunStatus::kCompleted: return "completed";
    case RunStatus::kFailed: return "failed";
    case RunStatus::kInterrupted: return "interrupted";
  }
  return "running";
}

HttpResponse session_created(const api::Session& session) {
  std::string body;
  JsonWriter w(body);
  begin_session(w, session);
  w.end_object();
  return HttpResponse::json(201, std::move(body));
}

HttpResponse session_list(const api::SessionList& list) {
  return list_response("items", list.items, [](JsonWriter& w, const api::Session& session) {
    begin_session(w, session);
    w.key("title").string(session.title);
    w.key("updated_at").string(to_iso8601(session.updated_at));
    w.end_object();
  });
}

HttpResponse session_detail(const api::Session& session) {
  std::string body;
  JsonWriter w(body);
  begin_session(w, session);
  w.key("active_run_id");
  session.active_run ? w.string(to_prefixed(*session.active_run)) : w.null();
  w.key("pending_approvals_count").number(static_cast<std::int64_t>(session.pending_approvals));
  w.key("usage");
  write_usage(w, session.usage);
  w.end_object();
  return HttpResponse::json(200, std::move(body));
}

HttpResponse session_deleted(const api::DeletedSession&) {
  return HttpResponse::empty(204);
}

HttpResponse auto_approve(const api::AutoApprove& setting) {
  std::string body;
  JsonWriter(body).begin_object().key("enabled").boolean(setting.enabled).end_object();
  return HttpResponse::json(200, std::move(body));
}

HttpResponse run_queued(const api::StartedRun& run) {
  return run_and_status(202, run.run_id, RunStatus::kQueued);
}

HttpResponse run_list(const api::RunList& list) {
  return list_response("items", list, write_run);
}

HttpResponse run_status(const api::Run& run) {
  std::string body;
  JsonWriter w(body);
  write_run(w, run);
  return HttpResponse::json(200, std::move(body));
}

HttpResponse run_interrupting(const api::Run& run) {
  if (is_over(run.status)) return run_and_status(200, run.id, run.status);
  return run_and_status(202, run.id, RunStatus::kInterrupting);
}

HttpResponse all_approvals(const api::ApprovalList& list) {
  return list_response("items", list, [](JsonWriter& w, const api::Approval& approval) {
    begin_approval(w, approval);
    w.key("session_id").string(to_prefixed(approval.session_id));
    w.end_object();
  });
}

HttpResponse session_approvals(const api::ApprovalList& list) {
  return list_response("items", list, [](JsonWriter& w, const api::Approval& approval) {
    begin_approval(w, approval);
    w.end_object();
  });
}

HttpResponse decided(const api::Decided& decision) {
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("approval_id").string(to_prefixed(decision.approval_id));
  w.key("run_id").string(to_prefixed(decision.run_id));
  w.key("status").string(decision.verdict == Verdict::kApproved ? "approved" : "rejected");
  w.end_object();
  return HttpResponse::json(200, std::move(body));
}

HttpResponse file_uploaded(const api::FileInfo& file) {
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("path").string(file.path);
  w.key("size").number(static_cast<std::int64_t>(file.size));
  w.key("mime_type").string(media_type_of(file.path));
  w.end_object();
  return HttpResponse::json(201, std::move(body));
}

HttpResponse file_list(const api::FileList& list) {
  return list_response("files", list, [](JsonWriter& w, const api::FileInfo& file) {
    w.begin_object();
    w.key("path").string(file.path);
    w.key("size").number(static_cast<std::int64_t>(file.size));
    w.key("updated_at").string(to_iso8601(file.updated_at));
    w.end_object();
  });
}

HttpResponse file_download(api::FileContent file) {
  HttpResponse response;
  response.status = 200;
  response.set("Content-Type", std::string(media_type_of(file.info.path)));
  response.set("Content-Disposition", attachment_disposition(file.info.path));
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Content-Security-Policy", "default-src 'none'; sandbox");
  response.set("Cache-Control", "no-store");
  response.body = std::move(file.content);
  return response;
}

}  // namespace braidlog::runs
