// Every limit of the server in one place, with the default that ships. docs/limits.md is generated from
// limits_table(), and `braidlog serve --config` may set each by its name here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace braidlog {

struct Limits {
  using Milliseconds = std::chrono::milliseconds;

  // Requests.
  std::size_t header_bytes_max = 16 * 1024;
  std::size_t json_body_bytes_max = 1024 * 1024;
  std::size_t upload_bytes_max = 50 * 1024 * 1024;
  std::size_t message_bytes_max = 32 * 1024;
  std::size_t context_bytes_max = 32 * 1024;
  std::size_t chat_body_bytes_max = 100 * 1024 * 1024;
  std::size_t chat_message_characters_max = 10'000;
  std::size_t chat_files_max = 10;
  std::size_t chat_file_bytes_max = 50 * 1024 * 1024;
  std::size_t idempotency_key_bytes_max = 255;
  std::size_t bodies_in_flight_bytes_max = 256 * 1024 * 1024;

  // Users.
  Milliseconds cookie_idle_time{7LL * 24 * 60 * 60 * 1000};
  Milliseconds cookie_life_time{30LL * 24 * 60 * 60 * 1000};
  std::size_t cookies_per_user_max = 100;
  std::size_t login_failures_per_name_max = 10;
  std::size_t login_failures_per_address_max = 100;
  Milliseconds login_failure_window{5 * 60 * 1000};
  std::size_t logins_waiting_max = 64;

  // Connections.
  std::size_t connections_max = 20'000;
  Milliseconds header_timeout{10'000};
  Milliseconds body_timeout{30'000};
  Milliseconds idle_timeout{75'000};

  // Streams.
  Milliseconds keepalive_interval{15'000};
  Milliseconds stall_timeout{60'000};
  std::size_t stream_buffer_bytes_max = 64 * 1024;  // unsent bytes per viewer; its cursor waits above this
  std::size_t watches_max = 32;                     // in one stream of many runs
  std::size_t watch_notices_max = 256;              // runs whose notices wait for one such stream

  // Runs.
  std::size_t turns_max = 256;                      // model calls per run, whatever the agent says
  std::size_t tool_calls_max = 256;                 // per run
  std::size_t output_bytes_max = 32 * 1024 * 1024;  // what model and tools may write in one run
  Milliseconds run_time_max{6 * 60 * 60 * 1000};    // without the time spent waiting for approvals
  Milliseconds model_first_token_timeout{120'000};
  Milliseconds model_idle_timeout{120'000};
  Milliseconds model_call_time_max{60 * 60 * 1000};  // one model call, its retries included
  std::size_t model_retries_max = 2;                 // of one model, before its first token
  std::size_t model_context_tokens = 100'000;        // for models that state none
  std::size_t model_line_bytes_max = 1024 * 1024;
  Milliseconds approval_timeout{30 * 60 * 1000};
  Milliseconds tool_timeout{60'000};
  Milliseconds tool_cancel_grace{2'000};
  std::size_t tool_result_bytes_max = 1024 * 1024;
  std::size_t wire_text_bytes_max = 64 * 1024;  // a text on the wire is cut here, with a mark

  std::size_t attachment_text_bytes_max = 256 * 1024;

  // Reading files that are no text, in sandboxes of their own.
  Milliseconds extraction_time_max{20'000};          // of one file
  Milliseconds extraction_request_time_max{60'000};  // of all files of one request
  std::size_t extraction_memory_bytes_max = 512 * 1024 * 1024;
  std::size_t extraction_unpacked_bytes_max = 200 * 1024 * 1024;
  std::size_t extraction_pixels_max = 50'000'000;
  std::size_t extraction_ocr_pages_max = 20;
  std::size_t extraction_pages_max = 500;
  std::size_t extractions_max = 2;  // at once

  // Tools outside: MCP servers, HTTP tools and the web.
  Milliseconds mcp_start_timeout{15'000};
  Milliseconds mcp_call_timeout{60'000};  // progress begins it anew, up to `mcp_call_time_max`
  Milliseconds mcp_call_time_max{10 * 60 * 1000};
  std::size_t mcp_message_bytes_max = 16 * 1024 * 1024;
  std::size_t mcp_tools_max = 200;  // of one server
  std::size_t http_tool_response_bytes_max = 1024 * 1024;
  std::size_t web_page_bytes_max = 5 * 1024 * 1024;
  std::size_t web_redirects_max = 5;

  // Users and turns.
  std::size_t user_runs_max = 1'000;
  std::size_t user_run_starts_per_minute_max = 6'000;
  std::size_t waiting_turns_max = 8;
  Milliseconds client_return_grace{3'000};
  Milliseconds same_text_window{30'000};

  // Code: what one run's sandbox may use, and how many there are.
  Milliseconds code_time_max{30'000};  // of one piece of code, without what it waits for tools
  std::size_t code_memory_bytes_max = 512 * 1024 * 1024;
  std::size_t code_output_bytes_max = 64 * 1024;  // printed by one piece of code
  std::size_t code_disk_bytes_max = 64 * 1024 * 1024;
  std::size_t code_threads_max = 16;
  std::size_t code_bytes_max = 256 * 1024;  // of the code itself
  std::size_t sandboxes_max = 8;
  std::size_t sandboxes_ready = 2;        // of those, started ahead
  Milliseconds sandbox_wait_max{30'000};  // for a free one

  // Tasks, artifacts and data items.
  std::size_t session_tasks_max = 200;
  std::size_t session_artifacts_max = 1'000;
  std::size_t artifact_bytes_max = 1024 * 1024;
  std::size_t session_data_items_max = 1'000;
  std::size_t data_item_bytes_max = 64 * 1024;

  // Upstreams: the servers of models.
  std::size_t upstream_connections_max = 20'000;
  Milliseconds upstream_connect_timeout{10'000};

  // Workspace.
  std::size_t workspace_files_max = 1'000;
  std::size_t workspace_file_bytes_max = 50 * 1024 * 1024;
  std::size_t workspace_path_bytes_max = 1'024;

  // Disk.
  std::size_t disk_used_percent_max = 95;

  // Stopping.
  Milliseconds drain_grace{10'000};
};

struct LimitRow {
  std::string name;
  std::uint64_t value = 0;
  std::string unit;     // "bytes", "ms", "count" or "percent"
  std::string meaning;  // one line for the docs
  void (*set)(Limits&, std::uint64_t) = nullptr;
};

// One row per field above, in their order.
std::vector<LimitRow> limits_table(const Limits& limits);
// The defaults as docs/limits.md.
std::string limits_document();

}  // namespace braidlog
