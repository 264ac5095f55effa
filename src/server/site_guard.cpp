#include "server/site_guard.h"

#include <algorithm>

namespace braidlog {

namespace {

// "name", "name:80", "[::1]:80": the name, without brackets. Empty when it is none of these.
std::string_view name_of_host(std::string_view host) {
  std::string_view name = host, port;
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    if (end == std::string_view::npos) return {};
    name = host.substr(1, end - 1);
    port = host.substr(end + 1);
  } else if (const auto colon = host.find(':'); colon != std::string_view::npos) {
    name = host.substr(0, colon);
    port = host.substr(colon);
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool port_is_good = port.empty() || (port[0] == ':' && std::ranges::all_of(port.substr(1), is_digit));
  return port_is_good ? name : std::string_view();
}

bool is_loopback_name(std::string_view name) {
  return equals_ignoring_case(name, "localhost") || name == "127.0.0.1" || name == "::1";
}

bool changes_state(Method method) {
  return method != Method::kGet && method != Method::kHead && method != Method::kOptions;
}

constexpr std::string_view kHttp = "http://";

}  // namespace

SiteGuard::SiteGuard(std::string listen_host, std::vector<std::string> allowed_origins, bool dev)
    : listen_host_(std::move(listen_host)), allowed_origins_(std::move(allowed_origins)), dev_(dev) {}

Status SiteGuard::check(const HttpRequest& head) const {
  if (const auto host = head.header("Host"); host && !is_known_host(*host)) {
    return fail(ErrorCode::kForbidden, "This server does not go by that name");
  }
  if (!changes_state(head.method)) return {};
  if (const auto origin = head.header("Origin")) {
    if (!is_allowed_origin(*origin, head))
      return fail(ErrorCode::kForbidden, "Requests from that site are not allowed");
    return {};
  }
  const auto site = head.header("Sec-Fetch-Site").value_or("none");
  if (site == "same-origin" || site == "none") return {};
  return fail(ErrorCode::kForbidden, "Requests from other sites are not allowed");
}

bool SiteGuard::is_known_host(std::string_view host) const {
  const auto name = name_of_host(host);
  if (name.empty()) return false;
  if (equals_ignoring_case(name, listen_host_)) return true;
  if (is_loopback_name(name)) return dev_ || is_loopback_name(listen_host_);
  return std::ranges::any_of(allowed_origins_, [&](std::string_view origin) {
    const auto at = origin.find("://");
    return at != std::string_view::npos && equals_ignoring_case(name_of_host(origin.substr(at + 3)), name);
  });
}

bool SiteGuard::is_allowed_origin(std::string_view origin, const HttpRequest& head) const {
  if (std::ranges::find(allowed_origins_, origin) != allowed_origins_.end()) return true;
  if (!origin.starts_with(kHttp)) return false;
  const auto site = origin.substr(kHttp.size());
  if (equals_ignoring_case(site, head.header("Host").value_or(""))) return true;
  return dev_ && is_loopback_name(name_of_host(site));
}

bool SiteGuard::is_preflight(const HttpRequest& head) const {
  return head.method == Method::kOptions && head.header("Origin") && head.header("Access-Control-Request-Method");
}

HttpResponse SiteGuard::answer_preflight(const HttpRequest& head) const {
  HttpResponse response = HttpResponse::empty(204);
  let_read(head, response.headers);
  if (response.headers.empty()) return response;  // not allowed: the browser finds nothing that lets it go on
  response.set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE");
  response.set("Access-Control-Allow-Headers",
               "Content-Type, Authorization, Last-Event-ID, Idempotency-Key, Cache-Control");
  response.set("Access-Control-Max-Age", "600");
  return response;
}

void SiteGuard::let_read(const HttpRequest& head, std::vector<HttpHeader>& headers) const {
  const auto origin = head.header("Origin");
  if (!origin || !is_allowed_origin(*origin, head)) return;
  headers.push_back({"Access-Control-Allow-Origin", std::string(*origin)});
  headers.push_back({"Access-Control-Allow-Credentials", "true"});
  headers.push_back({"Vary", "Origin"});
}

}  // namespace braidlog
