#include "dialect/console/resources.h"

#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "dialect/run_fields.h"
#include "dialect/runs/resources.h"

namespace braidlog::console {

namespace {

void write_text(JsonWriter& w, const std::optional<std::string>& text) {
  text ? w.string(*text) : w.null();
}

void write_found(JsonWriter& w, const api::FoundRun& found) {
  const api::Run& run = found.run;
  w.begin_object();
  w.key("run_id").string(to_prefixed(run.id));
  w.key("session_id").string(to_prefixed(run.session_id));
  w.key("session_title").string(found.session_title);
  w.key("user_id").string(run.user_id);
  w.key("agent").string(run.agent);
  w.key("contract").string(run.contract);
  w.key("status").string(runs::status_name(run.status));
  w.key("created_at").string(to_iso8601(run.created_at));
  w.key("started_at");
  write_time(w, run.started_at);
  w.key("ended_at");
  write_time(w, run.ended_at);
  w.key("duration_ms");
  run.started_at&& run.ended_at ? w.number(run.ended_at->ms - run.started_at->ms) : w.null();
  w.key("usage");
  write_usage(w, run.usage);
  w.key("error");
  runs::write_error(w, run);
  w.key("events").number(run.last.value);
  w.key("replayable").boolean(run.replayable);
  w.key("text").string(found.text);
  w.end_object();
}

std::string_view name_of(api::Policy policy) {
  switch (policy) {
    case api::Policy::kAsk: return "ask";
    case api::Policy::kAuto: return "auto";
    case api::Policy::kDeny: return "deny";
  }
  return "ask";
}

void write_tool(JsonWriter& w, const api::ToolInfo& tool) {
  w.begin_object();
  w.key("name").string(tool.name);
  w.key("description").string(tool.description);
  w.key("parameters").raw(tool.parameters_json.empty() ? R"({"type":"object"})" : tool.parameters_json);
  w.key("writes").boolean(tool.writes);
  w.key("idempotent").boolean(tool.idempotent);
  w.key("policy").string(name_of(tool.policy));
  w.end_object();
}

void write_agent(JsonWriter& w, const api::AgentInfo& info) {
  const api::Agent& agent = info.agent;
  w.begin_object();
  w.key("name").string(agent.name);
  w.key("version").string(agent.version);
  w.key("description").string(agent.description);
  w.key("model").string(info.model);
  w.key("provider").string(info.provider);
  w.key("style").string(agent.style == api::Style::kCode ? "code" : "tools");
  w.key("max_steps").number(static_cast<std::uint64_t>(agent.max_steps));
  w.key("planning_interval").number(static_cast<std::uint64_t>(agent.planning_interval));
  w.key("default_of").begin_array();
  for (const auto& contract : info.default_of) w.string(contract);
  w.end_array();
  w.key("file");
  write_text(w, info.file);
  w.key("yaml");
  write_text(w, info.yaml);
  w.key("tools").begin_array();
  for (const auto& tool : info.tools) write_tool(w, tool);
  w.end_array().end_object();
}

void write_fault(JsonWriter& w, const api::AgentFault& fault) {
  w.begin_object().key("file").string(fault.file).key("lines").begin_array();
  for (const auto& line : fault.lines) w.string(line);
  w.end_array().key("kept");
  fault.kept.empty() ? w.null() : w.string(fault.kept);
  w.end_object();
}

}  // namespace

HttpResponse run_started(const api::Run& run) {
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("run_id").string(to_prefixed(run.id));
  w.key("session_id").string(to_prefixed(run.session_id));
  w.key("status").string(runs::status_name(run.status));
  w.end_object();
  return HttpResponse::json(202, std::move(body));
}

HttpResponse found_runs(const api::FoundRuns& found) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("items").begin_array();
  for (const auto& run : found.items) write_found(w, run);
  w.end_array().key("next");
  found.next ? w.string(to_prefixed(*found.next)) : w.null();
  w.end_object();
  return HttpResponse::json(200, std::move(body));
}

HttpResponse agents_body(const api::AgentsInfo& info) {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("agents").begin_array();
  for (const auto& agent : info.agents) write_agent(w, agent);
  w.end_array().key("faults").begin_array();
  for (const auto& fault : info.faults) write_fault(w, fault);
  w.end_array().end_object();
  return HttpResponse::json(200, std::move(body));
}

HttpResponse system_body(const api::ServerFigures& now) {
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("at").string(to_iso8601(now.at));
  w.key("version").string(now.version);
  w.key("uptime_seconds").number(now.uptime_seconds);
  w.key("draining").boolean(now.draining);
  w.key("store_healthy").boolean(now.store_healthy);
  w.key("runs_open").number(now.runs_open);
  w.key("streams_open").number(now.streams_open);
  w.key("connections_open").number(now.connections_open);
  w.key("requests_total").number(now.requests_total);
  w.key("bad_requests_total").number(now.bad_requests_total);
  w.key("streams_stalled_total").number(now.streams_stalled_total);
  w.key("sent_bytes_total").number(now.sent_bytes_total);
  w.key("events_total").number(now.store.events_total);
  w.key("commits_total").number(now.store.commits_total);
  w.key("runs_completed_total").number(now.store.runs_completed_total);
  w.key("runs_failed_total").number(now.store.runs_failed_total);
  w.key("runs_interrupted_total").number(now.store.runs_interrupted_total);
  w.key("resident_bytes").number(now.resident_bytes);
  w.key("commit_us").begin_array();
  for (const auto& bucket : now.store.commit_buckets) {
    w.begin_object().key("le").number(bucket.us).key("count").number(bucket.count).end_object();
  }
  // Whatever took longer than the last of them: all there are.
  w.begin_object().key("le").null().key("count").number(now.store.commits_total).end_object();
  w.end_array().end_object();
  return HttpResponse::json(200, std::move(body));
}

}  // namespace braidlog::console
