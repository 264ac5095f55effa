#include "tool/operations/system_status.h"

#include <utility>

#include "tool/call.h"

namespace braidlog::tool {

namespace {

ToolSpec status_spec() {
  ToolSpec spec;
  spec.name = "system_status";
  spec.description =
      "Tells how this server is doing now: its health, version and uptime, the runs, streams and connections that are "
      "open, "
      "the requests served so far and the memory in use.";
  spec.parameters_json = R"({"type":"object","properties":{},"additionalProperties":false})";
  spec.writes = false;
  spec.display_running = "Checking system status...";
  spec.display_done = "System status checked";
  return spec;
}

json::object to_object(const ServerFigures& figures) {
  const char* status = !figures.store_healthy ? "degraded" : figures.draining ? "draining" : "healthy";
  return {{"status", status},
          {"version", figures.version},
          {"uptime_seconds", figures.uptime_seconds},
          {"store_healthy", figures.store_healthy},
          {"draining", figures.draining},
          {"runs_open", figures.runs_open},
          {"streams_open", figures.streams_open},
          {"connections_open", figures.connections_open},
          {"requests_total", figures.requests_total},
          {"resident_bytes", figures.resident_bytes}};
}

}  // namespace

SystemStatus::SystemStatus(const ServerStatus& status) : SchemaTool(status_spec()), status_(status) {}

std::unique_ptr<ToolRun> SystemStatus::start(ToolInvocation, Loop& loop, UniqueFunction<void(ToolOutcome)> done) {
  return answer_later(loop, ToolOutcome::ok(to_object(status_.figures())), std::move(done));
}

}  // namespace braidlog::tool
