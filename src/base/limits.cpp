#include "base/limits.h"

namespace braidlog {

namespace {

std::uint64_t number_of(std::size_t value) {
  return value;
}
std::uint64_t number_of(std::chrono::milliseconds value) {
  return static_cast<std::uint64_t>(value.count());
}
template <class T>
T value_of(std::uint64_t number) {
  return T(number);
}

}  // namespace

#define BRAIDLOG_LIMIT(field, unit, meaning)                                         \
  LimitRow {                                                                         \
    #field, number_of(limits.field), unit, meaning,                                  \
        [](Limits& l, std::uint64_t v) { l.field = value_of<decltype(l.field)>(v); } \
  }

std::vector<LimitRow> limits_table(const Limits& limits) {
  return {
      BRAIDLOG_LIMIT(header_bytes_max, "bytes", "request line and headers"),
      BRAIDLOG_LIMIT(json_body_bytes_max, "bytes", "a JSON body"),
      BRAIDLOG_LIMIT(upload_bytes_max, "bytes", "a multipart upload"),
      BRAIDLOG_LIMIT(message_bytes_max, "bytes", "a user's message, UTF-8"),
      BRAIDLOG_LIMIT(context_bytes_max, "bytes", "what comes with a message for that turn alone, UTF-8"),
      BRAIDLOG_LIMIT(chat_body_bytes_max, "bytes", "a chat request, its files included"),
      BRAIDLOG_LIMIT(chat_message_characters_max, "count", "Unicode characters of a chat message"),
      BRAIDLOG_LIMIT(chat_files_max, "count", "files of a chat request"),
      BRAIDLOG_LIMIT(chat_file_bytes_max, "bytes", "one file of a chat request, decoded"),
      BRAIDLOG_LIMIT(idempotency_key_bytes_max, "bytes", "an idempotency key"),
      BRAIDLOG_LIMIT(bodies_in_flight_bytes_max, "bytes",
                     "all bodies being received, and large answers being sent; above it 503"),
      BRAIDLOG_LIMIT(cookie_idle_time, "ms", "a login that is not used"),
      BRAIDLOG_LIMIT(cookie_life_time, "ms", "a login, used or not"),
      BRAIDLOG_LIMIT(cookies_per_user_max, "count", "logins of one user; the one unused for longest goes"),
      BRAIDLOG_LIMIT(login_failures_per_name_max, "count", "wrong passwords for one name in `login_failure_window`"),
      BRAIDLOG_LIMIT(login_failures_per_address_max, "count",
                     "wrong passwords from one address in `login_failure_window`"),
      BRAIDLOG_LIMIT(login_failure_window, "ms", "how long a wrong password counts"),
      BRAIDLOG_LIMIT(logins_waiting_max, "count", "logins that wait for their password to be checked; above it 503"),
      BRAIDLOG_LIMIT(connections_max, "count", "open connections; above it new ones get 503"),
      BRAIDLOG_LIMIT(header_timeout, "ms", "from the first byte of a request to the end of its headers"),
      BRAIDLOG_LIMIT(body_timeout, "ms", "between two pieces of a body"),
      BRAIDLOG_LIMIT(idle_timeout, "ms", "a connection without a request"),
      BRAIDLOG_LIMIT(keepalive_interval, "ms", "silence on a stream before `: keepalive`"),
      BRAIDLOG_LIMIT(stall_timeout, "ms", "a viewer that takes nothing is closed"),
      BRAIDLOG_LIMIT(stream_buffer_bytes_max, "bytes", "unsent bytes per viewer; its cursor waits above this"),
      BRAIDLOG_LIMIT(watches_max, "count", "runs that one `/watch` stream shows; above it 400"),
      BRAIDLOG_LIMIT(watch_notices_max, "count",
                     "runs whose changes wait for one slow `/watch` stream; above it they are dropped, and it is told"),
      BRAIDLOG_LIMIT(turns_max, "count", "model calls per run, whatever the agent says"),
      BRAIDLOG_LIMIT(tool_calls_max, "count", "tool calls per run"),
      BRAIDLOG_LIMIT(output_bytes_max, "bytes", "what the model and the tools of one run may write"),
      BRAIDLOG_LIMIT(run_time_max, "ms", "working time of a run; waiting for approvals does not count"),
      BRAIDLOG_LIMIT(model_first_token_timeout, "ms", "until a model's first token; then the next try or model"),
      BRAIDLOG_LIMIT(model_idle_timeout, "ms", "silence of the model in mid-answer"),
      BRAIDLOG_LIMIT(model_call_time_max, "ms", "one model call, its retries included"),
      BRAIDLOG_LIMIT(model_retries_max, "count", "tries again of one model call, before its first token"),
      BRAIDLOG_LIMIT(model_context_tokens, "count", "what a model is given to read, for models that state nothing"),
      BRAIDLOG_LIMIT(model_line_bytes_max, "bytes", "one event of a model's stream"),
      BRAIDLOG_LIMIT(approval_timeout, "ms", "an approval nobody answers, unless the agent says otherwise"),
      BRAIDLOG_LIMIT(tool_timeout, "ms", "a tool call, unless the tool says otherwise"),
      BRAIDLOG_LIMIT(tool_cancel_grace, "ms",
                     "what a tool in flight is given after an interrupt; then its outcome is unknown"),
      BRAIDLOG_LIMIT(tool_result_bytes_max, "bytes", "what is kept of a tool's result"),
      BRAIDLOG_LIMIT(wire_text_bytes_max, "bytes", "a tool's text on the wire; cut with a mark"),
      BRAIDLOG_LIMIT(attachment_text_bytes_max, "bytes", "what a model is shown of an attached file; cut with a mark"),
      BRAIDLOG_LIMIT(extraction_time_max, "ms", "reading the text of one file"),
      BRAIDLOG_LIMIT(extraction_request_time_max, "ms", "reading the text of all files of one request"),
      BRAIDLOG_LIMIT(extraction_memory_bytes_max, "bytes", "memory while a file is read"),
      BRAIDLOG_LIMIT(extraction_unpacked_bytes_max, "bytes", "an office document, unpacked"),
      BRAIDLOG_LIMIT(extraction_pixels_max, "count", "pixels of an image"),
      BRAIDLOG_LIMIT(extraction_ocr_pages_max, "count", "pages of a document without text that are recognised"),
      BRAIDLOG_LIMIT(extraction_pages_max, "count", "pages, sheets or slides of a document that are read"),
      BRAIDLOG_LIMIT(extractions_max, "count", "files read at once; others wait"),
      BRAIDLOG_LIMIT(mcp_start_timeout, "ms", "until an MCP server has told its tools"),
      BRAIDLOG_LIMIT(mcp_call_timeout, "ms", "a call of an MCP tool; each progress notice begins it anew"),
      BRAIDLOG_LIMIT(mcp_call_time_max, "ms", "a call of an MCP tool, whatever it reports"),
      BRAIDLOG_LIMIT(mcp_message_bytes_max, "bytes", "one message of an MCP server"),
      BRAIDLOG_LIMIT(mcp_tools_max, "count", "tools of one MCP server"),
      BRAIDLOG_LIMIT(http_tool_response_bytes_max, "bytes", "the answer to an HTTP tool"),
      BRAIDLOG_LIMIT(web_page_bytes_max, "bytes", "a page that `web_fetch` reads"),
      BRAIDLOG_LIMIT(web_redirects_max, "count", "redirects that `web_fetch` follows"),
      BRAIDLOG_LIMIT(user_runs_max, "count", "runs of one user under way at once; above it 429"),
      BRAIDLOG_LIMIT(user_run_starts_per_minute_max, "count",
                     "runs that one user may begin per minute, a sixth of them in one burst; above it 429"),
      BRAIDLOG_LIMIT(waiting_turns_max, "count", "chat turns that wait in one session; above it 429"),
      BRAIDLOG_LIMIT(client_return_grace, "ms", "a run begun by chat's GET stops this long after its client is gone"),
      BRAIDLOG_LIMIT(same_text_window, "ms", "a GET with the text of a live run younger than this means that run"),
      BRAIDLOG_LIMIT(code_time_max, "ms", "one piece of code in the sandbox, without what it waits for tools"),
      BRAIDLOG_LIMIT(code_memory_bytes_max, "bytes", "memory of a sandbox"),
      BRAIDLOG_LIMIT(code_output_bytes_max, "bytes", "what one piece of code may print"),
      BRAIDLOG_LIMIT(code_disk_bytes_max, "bytes", "files of a sandbox"),
      BRAIDLOG_LIMIT(code_threads_max, "count", "threads of a sandbox"),
      BRAIDLOG_LIMIT(code_bytes_max, "bytes", "one piece of code itself"),
      BRAIDLOG_LIMIT(sandboxes_max, "count", "sandboxes at once, one per run that writes code; above it runs wait"),
      BRAIDLOG_LIMIT(sandboxes_ready, "count", "of those, how many are started ahead"),
      BRAIDLOG_LIMIT(sandbox_wait_max, "ms", "how long code waits for a free sandbox"),
      BRAIDLOG_LIMIT(session_tasks_max, "count", "tasks of one session"),
      BRAIDLOG_LIMIT(session_artifacts_max, "count", "artifacts of one session"),
      BRAIDLOG_LIMIT(artifact_bytes_max, "bytes", "the content of one artifact"),
      BRAIDLOG_LIMIT(session_data_items_max, "count", "data items of one session"),
      BRAIDLOG_LIMIT(data_item_bytes_max, "bytes", "the data of one data item"),
      BRAIDLOG_LIMIT(upstream_connections_max, "count", "connections to model providers; above it calls wait for one"),
      BRAIDLOG_LIMIT(upstream_connect_timeout, "ms", "until a model provider has taken the connection"),
      BRAIDLOG_LIMIT(workspace_files_max, "count", "files in a session's workspace"),
      BRAIDLOG_LIMIT(workspace_file_bytes_max, "bytes", "one file of a workspace"),
      BRAIDLOG_LIMIT(workspace_path_bytes_max, "bytes", "a path in a workspace"),
      BRAIDLOG_LIMIT(disk_used_percent_max, "percent",
                     "how full the disk of the data folder may be; above it no new runs, 503"),
      BRAIDLOG_LIMIT(drain_grace, "ms", "from SIGTERM to the end of the process"),
  };
}

std::string limits_document() {
  std::string out =
      "# Limits\n\n"
      "Generated by `braidlog limits --markdown`. Each can be set in the file given with `--config`:\n\n"
      "```yaml\nlimits:\n  stall_timeout: 30000\n```\n\n"
      "| name | default | unit | what it bounds |\n|---|---|---|---|\n";
  for (const auto& row : limits_table(Limits{})) {
    out += "| `" + row.name + "` | " + std::to_string(row.value) + " | " + row.unit + " | " + row.meaning + " |\n";
  }
  return out;
}

#undef BRAIDLOG_LIMIT

}  // namespace braidlog
