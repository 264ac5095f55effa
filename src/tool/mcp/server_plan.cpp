#include "tool/mcp/server_plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tool/mcp/header_value.h"

namespace braidlog::tool::mcp {

namespace {

// What nearly every program needs and what tells it nothing of us. All else the operator names.
constexpr const char* kAlwaysGiven[] = {"PATH", "HOME", "LANG"};

constexpr std::size_t kUnnamedSecretBytesMin = 8;

// A folder, a number or an address that a program is told is no secret, and its tools speak of it.
bool is_plainly_no_secret(std::string_view value) {
  if (value.starts_with('/')) return value.find_first_of("+=") == std::string_view::npos;  // those are of base64
  if (value.find_first_not_of("0123456789.,-") == std::string_view::npos) return true;
  const auto scheme = value.find("://");
  return scheme != std::string_view::npos && scheme > 0 && value.find_first_of("@?") == std::string_view::npos;
}

bool holds_secret(const std::string& name, std::string_view value) {
  constexpr std::string_view kWords[] = {"TOKEN", "KEY", "SECRET", "PASS", "CREDENTIAL", "AUTH"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return name.find(word) != std::string::npos; }) ||
         (value.size() >= kUnnamedSecretBytesMin && !is_plainly_no_secret(value));
}

Result<SpawnPlan> plan_command(const api::McpServer& server, const Environment& environment, Secrets& secrets) {
  SpawnPlan plan;
  plan.argv = server.command;
  plan.folder = server.folder;
  for (const char* name : kAlwaysGiven) {
    if (const auto value = environment(name)) plan.environment.push_back(std::string(name) + "=" + *value);
  }
  for (const auto& name : server.env) {
    const auto value = environment(name);
    if (!value) {
      return fail(ErrorCode::kBadField,
                  "the environment variable " + name + " that MCP server " + server.name + " is to get is not set");
    }
    plan.environment.push_back(name + "=" + *value);
    if (holds_secret(name, *value)) (void)secrets.expand("${" + name + "}", environment);
  }
  return plan;
}

Result<HttpPlan> plan_url(const api::McpServer& server, const Environment& environment, const OutboundRulesPtr& rules,
                          Secrets& secrets) {
  HttpPlan plan;
  plan.url = server.url;
  for (const auto& [name, value] : server.headers) {
    auto expanded = secrets.expand(value, environment);
    if (!expanded) return fail(expanded.error());
    if (!is_header_token(name) || !is_header_value(*expanded)) {
      return fail(ErrorCode::kBadField, "the header " + name + " of MCP server " + server.name + " cannot be sent");
    }
    plan.headers.push_back({name, std::move(*expanded)});
  }
  auto allowed = (rules ? *rules : OutboundRules()).with(server.addresses);
  if (!allowed) return fail(allowed.error());
  plan.rules = std::make_shared<const OutboundRules>(std::move(*allowed));
  return plan;
}

}  // namespace

Result<ServerPlan> plan_server(const api::McpServer& server, const Environment& environment,
                               const OutboundRulesPtr& rules) {
  ServerPlan plan;
  plan.name = server.name;
  plan.reads = {server.reads.begin(), server.reads.end()};
  plan.tools = {server.tools.begin(), server.tools.end()};
  plan.timeout = server.timeout;
  if (!server.command.empty() && !server.command.front().empty()) {
    auto command = plan_command(server, environment, plan.secrets);
    if (!command) return fail(command.error());
    plan.way = std::move(*command);
    return plan;
  }
  if (server.url.empty()) {
    return fail(ErrorCode::kBadField, "MCP server " + server.name + " has neither a command nor a url");
  }
  auto url = plan_url(server, environment, rules, plan.secrets);
  if (!url) return fail(url.error());
  plan.way = std::move(*url);
  return plan;
}

}  // namespace braidlog::tool::mcp
