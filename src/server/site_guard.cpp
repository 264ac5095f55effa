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

bool changes_state(Method method, bool starts_run) {
  if (method == Method::kGet || method == Method::kHead) return starts_run;
  return method != Method::kOptions;
}

constexpr std::string_view kHttp = "http://", kHttps = "https://";

// A browser leaves the port out where it is the scheme's own; a proxy may not.
std::string_view without_port(std::string_view host, std::string_view port) {
  return host.ends_with(port) ? host.substr(0, host.size() - port.size()) : host;
}

// Whether `origin` is the site that the request was sent to.
bool is_own_origin(std::string_view origin, std::string_view host, bool is_secure) {
  const auto scheme = is_secure ? kHttps : kHttp;
  const auto port = is_secure ? ":443" : ":80";
  return !host.empty() && origin.starts_with(scheme) &&
         equals_ignoring_case(without_port(origin.substr(scheme.size()), port), without_port(host, port));
}

}  // namespace

SiteGuard::SiteGuard(std::string listen_host, std::vector<std::string> allowed_origins, bool dev)
    : listen_host_(std::move(listen_host)), allowed_origins_(std::move(allowed_origins)), dev_(dev) {}

Status SiteGuard::check(const HttpRequest& head, const About& about) const {
  if (const auto host = head.header("Host"); host && !is_known_host(*host)) {
    return fail(ErrorCode::kForbidden, "This server does not go by that name");
  }
  if (!changes_state(head.method, about.starts_run)) return {};
  if (const auto origin = head.header("Origin")) {
    if (is_allowed_origin(*origin, head, about.is_secure)) return {};
    return fail(ErrorCode::kForbidden, "Requests from that site are not allowed");
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

bool SiteGuard::is_allowed_origin(std::string_view origin, const HttpRequest& head, bool is_secure) const {
  if (std::ranges::find(allowed_origins_, origin) != allowed_origins_.end()) return true;
  // A page that came over plain http may be anybody's work: it is not the site that is served over TLS.
  if (is_own_origin(origin, head.header("Host").value_or(""), is_secure)) return true;
  return dev_ && origin.starts_with(kHttp) && is_loopback_name(name_of_host(origin.substr(kHttp.size())));
}

bool SiteGuard::is_preflight(const HttpRequest& head) const {
  return head.method == Method::kOptions && head.header("Origin") && head.header("Access-Control-Request-Method");
}

HttpResponse SiteGuard::answer_preflight(const HttpRequest& head, bool is_secure) const {
  HttpResponse response = HttpResponse::empty(204);
  let_read(head, is_secure, response.headers);
  if (response.headers.empty()) return response;  // not allowed: the browser finds nothing that lets it go on
  response.set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE");
  response.set("Access-Control-Allow-Headers",
               "Content-Type, Authorization, Last-Event-ID, Idempotency-Key, Cache-Control");
  response.set("Access-Control-Max-Age", "600");
  return response;
}

void SiteGuard::let_read(const HttpRequest& head, bool is_secure, std::vector<HttpHeader>& headers) const {
  const auto origin = head.header("Origin");
  if (!origin || !is_allowed_origin(*origin, head, is_secure)) return;
  headers.push_back({"Access-Control-Allow-Origin", std::string(*origin)});
  headers.push_back({"Access-Control-Allow-Credentials", "true"});
  headers.push_back({"Vary", "Origin"});
}

}  // namespace braidlog
