#include "dialect/chat/resources.h"

#include <algorithm>

#include "base/json.h"
#include "dialect/chat/errors.h"
#include "event/engine_tools.h"

namespace braidlog::chat {

namespace {

// The stored message where there is one: an agent that works in code stores its final text alone.
std::string_view content_of(const RunState& run, const api::SessionView& view) {
  const auto stored = std::ranges::find(view.messages, run.begun.assistant_message_id, &api::Message::id);
  if (stored != view.messages.end()) return stored->content;
  // The run left no message, though it may have said something; or nobody looked.
  return view.messages.empty() ? std::string_view(run.text) : std::string_view();
}

CallStatus status_of(const ToolCallState& call) {
  const bool is_done = call.phase == CallPhase::kFinished && call.status == ToolStatus::kOk;
  return is_done ? CallStatus::kSuccess : CallStatus::kError;
}

void write_calls(JsonWriter& w, const RunState& run) {
  w.begin_array();
  for (const auto& call : run.calls) {
    if (is_engine_tool(call.name)) continue;
    w.begin_object();
    w.key("name").string(call.name);
    w.key("arguments").raw(call.args_json.empty() ? "{}" : call.args_json);
    w.key("status").string(name_of(status_of(call)));
    w.end_object();
  }
  w.end_array();
}

HttpResponse completed(const RunState& run, const api::SessionView& view) {
  std::string body, tokens;
  append_tokens_used(tokens, run.usage);
  JsonWriter w(body);
  w.begin_object();
  w.key("message_id").string(to_ulid(run.begun.assistant_message_id));
  w.key("content").string(content_of(run, view));
  w.key("session_id").string(to_ulid(run.begun.session_id));
  w.key("tool_calls");
  write_calls(w, run);
  w.key("tokens_used").raw(tokens);
  w.key("execution_time_ms").number(run.elapsed_ms);
  w.end_object();
  return HttpResponse::json(200, std::move(body));
}

}  // namespace

std::string_view name_of(CallStatus status) {
  switch (status) {
    case CallStatus::kSuccess: return "success";
    case CallStatus::kError: return "error";
  }
  return "error";
}

void append_tokens_used(std::string& out, const std::optional<Usage>& usage) {
  JsonWriter w(out);
  if (!usage) {
    w.null();
    return;
  }
  w.begin_object();
  w.key("prompt_tokens").number(usage->input_tokens);
  w.key("completion_tokens").number(usage->output_tokens);
  w.key("total_tokens").number(usage->total_tokens());
  w.end_object();
}

HttpResponse run_answer(const RunState& run, const api::SessionView& view, AnswerRule rule) {
  const auto problem = [&](const Problem& p) {
    HttpResponse response = problem_response(p, rule.request_id, rule.wire_text_bytes_max);
    if (p.status == 503) response.set("Retry-After", "1");
    return response;
  };
  switch (run.status()) {
    case RunStatus::kCompleted: return completed(run, view);
    case RunStatus::kFailed: return problem(problem_of_failure(run.failure, run.failure_message));
    case RunStatus::kInterrupted: return problem(problem_of_interruption(run.interrupt_reason.value_or("")));
    case RunStatus::kQueued:
    case RunStatus::kRunning:
    case RunStatus::kWaitingApproval:
    case RunStatus::kInterrupting: break;  // the server renders runs that are over
  }
  return error_response({ErrorCode::kInternal, {}, {}}, rule.request_id);
}

HttpResponse agent_health(const api::Agent& agent) {
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("status").string("healthy");
  w.key("agent_name").string(agent.name);
  w.key("agent_version").string(agent.version);
  w.key("description").string(agent.description);
  w.end_object();
  return HttpResponse::json(200, std::move(body));
}

}  // namespace braidlog::chat
