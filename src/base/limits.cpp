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
      BRAIDLOG_LIMIT(idempotency_key_bytes_max, "bytes", "an idempotency key"),
      BRAIDLOG_LIMIT(bodies_in_flight_bytes_max, "bytes", "all bodies being received; above it 503"),
      BRAIDLOG_LIMIT(connections_max, "count", "open connections; above it new ones get 503"),
      BRAIDLOG_LIMIT(header_timeout, "ms", "from the first byte of a request to the end of its headers"),
      BRAIDLOG_LIMIT(body_timeout, "ms", "between two pieces of a body"),
      BRAIDLOG_LIMIT(idle_timeout, "ms", "a connection without a request"),
      BRAIDLOG_LIMIT(keepalive_interval, "ms", "silence on a stream before `: keepalive`"),
      BRAIDLOG_LIMIT(stall_timeout, "ms", "a viewer that takes nothing is closed"),
      BRAIDLOG_LIMIT(stream_buffer_bytes_max, "bytes",
                     "unsent bytes per viewer; its cursor waits above this"),
      BRAIDLOG_LIMIT(feed_window_bytes_max, "bytes",
                     "frames kept per run and contract for viewers at the tail"),
      BRAIDLOG_LIMIT(turns_max, "count", "model calls per run, whatever the agent says"),
      BRAIDLOG_LIMIT(tool_calls_max, "count", "tool calls per run"),
      BRAIDLOG_LIMIT(output_bytes_max, "bytes", "what a model may write in one run"),
      BRAIDLOG_LIMIT(run_time_max, "ms", "working time of a run; waiting for approvals does not count"),
      BRAIDLOG_LIMIT(model_idle_timeout, "ms", "silence of the model in mid-answer"),
      BRAIDLOG_LIMIT(approval_timeout, "ms", "an approval nobody answers, unless the agent says otherwise"),
      BRAIDLOG_LIMIT(tool_timeout, "ms", "a tool call, unless the tool says otherwise"),
      BRAIDLOG_LIMIT(tool_cancel_grace, "ms", "from cancelling a tool to calling its outcome unknown"),
      BRAIDLOG_LIMIT(tool_result_bytes_max, "bytes", "what is kept of a tool's result"),
      BRAIDLOG_LIMIT(wire_text_bytes_max, "bytes", "a tool's text on the wire; cut with a mark"),
      BRAIDLOG_LIMIT(workspace_files_max, "count", "files in a session's workspace"),
      BRAIDLOG_LIMIT(workspace_file_bytes_max, "bytes", "one file of a workspace"),
      BRAIDLOG_LIMIT(workspace_path_bytes_max, "bytes", "a path in a workspace"),
      BRAIDLOG_LIMIT(drain_grace, "ms", "from SIGTERM to the end of the process"),
  };
}

#undef BRAIDLOG_LIMIT

}  // namespace braidlog
