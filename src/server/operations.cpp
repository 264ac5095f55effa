#include "server/operations.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "base/version.h"
#include "server/embedded_texts.h"

namespace braidlog {

namespace {

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadField:
    case ErrorCode::kUnsupportedMedia:
    case ErrorCode::kBadFile:
    case ErrorCode::kMalformed: return 400;
    case ErrorCode::kTooLarge: return 413;
    case ErrorCode::kHeadTooLarge: return 431;
    case ErrorCode::kTooSlow: return 408;
    case ErrorCode::kInvalidPath: return 422;
    case ErrorCode::kUnauthorized: return 401;
    case ErrorCode::kForbidden: return 403;
    case ErrorCode::kMethodNotAllowed: return 405;
    case ErrorCode::kUnknownRoute:
    case ErrorCode::kSessionNotFound:
    case ErrorCode::kRunNotFound:
    case ErrorCode::kApprovalNotFound:
    case ErrorCode::kFileNotFound:
    case ErrorCode::kTaskNotFound:
    case ErrorCode::kArtifactNotFound:
    case ErrorCode::kDataItemNotFound:
    case ErrorCode::kAgentNotFound: return 404;
    case ErrorCode::kGone: return 410;
    case ErrorCode::kActiveRunExists:
    case ErrorCode::kIdempotencyConflict:
    case ErrorCode::kInvalidState:
    case ErrorCode::kNoPendingTask:
    case ErrorCode::kAlreadyDecided: return 409;
    case ErrorCode::kRateLimited: return 429;
    case ErrorCode::kUnavailable:
    case ErrorCode::kStorage: return 503;
    case ErrorCode::kFenced:
    case ErrorCode::kInternal:
    case ErrorCode::kProvider:
    case ErrorCode::kProviderTimeout:
    case ErrorCode::kProviderRateLimited:
    case ErrorCode::kUpstreamTruncated:
    case ErrorCode::kToolsRefused:
    case ErrorCode::kToolFailed:
    case ErrorCode::kToolInvalidArguments:
    case ErrorCode::kToolTimeout:
    case ErrorCode::kCancelled:
    case ErrorCode::kOutcomeUnknown:
    case ErrorCode::kLimitExceeded: return 500;
  }
  return 500;
}

HttpResponse text(std::string body, std::string type) {
  HttpResponse response = HttpResponse::empty(200);
  response.set("Content-Type", std::move(type));
  response.body = std::move(body);
  return response;
}

// The page is made for one document; a browser asks again when it comes back.
HttpResponse docs() {
  HttpResponse response = text(std::string(docs_page()), "text/html; charset=utf-8");
  response.set("Content-Security-Policy", std::string(docs_page_policy()));
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Referrer-Policy", "no-referrer");
  response.set("Cache-Control", "no-cache");
  return response;
}

constexpr Operations::Served kServed[] = {
    {"/", Access::kOpen},       {"/favicon.svg", Access::kOpen},  {"/assets/{}", Access::kOpen},
    {"/health", Access::kOpen}, {"/ready", Access::kOpen},        {"/metrics", Access::kAdmin},
    {"/agents", Access::kUser}, {"/openapi.json", Access::kUser}, {"/docs", Access::kUser}};

void add_store_metrics(prometheus::Registry& registry, const api::StoreFigures& store) {
  const auto counter = [&](const char* name, const char* help) -> auto& {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  };
  counter("braidlog_events_total", "Events made durable").Add({}).Increment(static_cast<double>(store.events_total));
  counter("braidlog_commits_total", "Commits of the store").Add({}).Increment(static_cast<double>(store.commits_total));
  auto& ended = counter("braidlog_runs_ended_total", "Runs that are over, by how they ended");
  ended.Add({{"status", "completed"}}).Increment(static_cast<double>(store.runs_completed_total));
  ended.Add({{"status", "failed"}}).Increment(static_cast<double>(store.runs_failed_total));
  ended.Add({{"status", "interrupted"}}).Increment(static_cast<double>(store.runs_interrupted_total));
  prometheus::Histogram::BucketBoundaries ends;
  std::vector<double> counts;  // of each bucket by itself, and of what is in none
  std::uint64_t before = 0;
  for (const auto& bucket : store.commit_buckets) {
    ends.push_back(static_cast<double>(bucket.us) / 1e6);
    counts.push_back(static_cast<double>(bucket.count - before));
    before = bucket.count;
  }
  counts.push_back(static_cast<double>(std::max(store.commits_total, before) - before));
  prometheus::BuildHistogram()
      .Name("braidlog_commit_seconds")
      .Help("How long the commits of the store took")
      .Register(registry)
      .Add({}, ends)
      .ObserveMultiple(counts, static_cast<double>(store.commit_us_total) / 1e6);
}

const Operations::Served* find_served(std::string_view path) {
  constexpr std::string_view kAny = "{}";
  const auto at = std::ranges::find_if(kServed, [&](const Operations::Served& served) {
    auto pattern = served.path;
    if (!pattern.ends_with(kAny)) return path == pattern;
    pattern.remove_suffix(kAny.size());
    return path.starts_with(pattern);
  });
  return at == std::end(kServed) ? nullptr : at;
}

}  // namespace

HttpResponse Operations::error(const Error& error, RequestId) const {
  const int status = status_of(error.code);
  std::string body;
  JsonWriter(body).begin_object().key("error").string(status == 500 ? "Internal error" : error.message).end_object();
  HttpResponse response = HttpResponse::json(status, std::move(body));
  if (error.code == ErrorCode::kMethodNotAllowed) response.set("Allow", error.subject);
  if (status == 401) response.set("WWW-Authenticate", "Bearer");
  if (status == 429 || status == 503) response.set("Retry-After", "1");
  return response;
}

std::span<const Operations::Served> Operations::served() {
  return kServed;
}

bool Operations::answers(std::string_view path) const {
  return find_served(path) != nullptr;
}

Access Operations::access(std::string_view path) const {
  const Served* served = find_served(path);
  return served == nullptr ? Access::kUser : served->access;
}

HttpResponse Operations::answer(const HttpRequest& request) const {
  const auto& path = request.path;
  if (request.method != Method::kGet && request.method != Method::kHead) {
    return error({ErrorCode::kMethodNotAllowed, "Method not allowed", "GET, HEAD"}, request.id);
  }
  if (path == "/health")
    return HttpResponse::json(200, R"({"status":"healthy","version":")" + std::string(kVersion) + "\"}");
  if (path == "/ready") return ready();
  if (path == "/metrics") return metrics();
  if (path == "/openapi.json") return HttpResponse::json(200, std::string(openapi_document()));
  if (path == "/docs") return docs();
  if (path == "/agents") return agents();
  auto file = console_.answer(request);
  return file ? std::move(*file) : error({ErrorCode::kUnknownRoute, "Not found", {}}, request.id);
}

HttpResponse Operations::ready() const {
  const bool is_ready = !engine_.draining && engine_.store.healthy();
  return HttpResponse::json(is_ready ? 200 : 503, is_ready ? R"({"ready":true})" : R"({"ready":false})");
}

HttpResponse Operations::metrics() const {
  prometheus::Registry registry;
  const auto gauge = [&](const char* name, const char* help, double value) {
    prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({}).Set(value);
  };
  const NetStats net = net_();
  std::size_t runs = 0;
  for (const RunHost* host : engine_.shards.all()) runs += host->open_runs();
  gauge("braidlog_runs_open", "Runs that are not over", static_cast<double>(runs));
  gauge("braidlog_connections_open", "Open connections", static_cast<double>(net.connections_open));
  gauge("braidlog_streams_open", "Open event streams", static_cast<double>(net.streams_open));
  gauge("braidlog_body_bytes_in_flight", "Bytes of request bodies being received",
        static_cast<double>(net.body_bytes_in_flight));
  gauge("braidlog_store_healthy", "1 while the store can write", engine_.store.healthy() ? 1 : 0);
  gauge("braidlog_connections_total", "Connections accepted", static_cast<double>(net.connections_accepted));
  gauge("braidlog_requests_total", "Requests received", static_cast<double>(net.requests));
  gauge("braidlog_bad_requests_total", "Requests refused as broken", static_cast<double>(net.bad_requests));
  gauge("braidlog_streams_stalled_total", "Streams closed because their client took nothing",
        static_cast<double>(net.streams_stalled));
  gauge("braidlog_sent_bytes_total", "Bytes written to clients", static_cast<double>(net.bytes_sent));
  if (engine_.status != nullptr) add_store_metrics(registry, engine_.status->figures().store);
  return text(prometheus::TextSerializer().Serialize(registry.Collect()), "text/plain; version=0.0.4; charset=utf-8");
}

HttpResponse Operations::agents() const {
  std::string body;
  JsonWriter w(body);
  w.begin_object().key("agents").begin_array();
  for (const auto& runnable : engine_.agents.all()) {
    const auto& agent = runnable->agent;
    w.begin_object().key("name").string(agent.name).key("description").string(agent.description);
    w.key("model").string(std::string(runnable->model->provider()) + "/" + std::string(runnable->model->name()));
    w.key("tools").begin_array();
    for (const auto& tool : agent.tools) w.string(tool);
    w.end_array().end_object();
  }
  w.end_array().end_object();
  return HttpResponse::json(200, std::move(body));
}

}  // namespace braidlog
