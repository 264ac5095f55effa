// Puts a request through a dialect the way the server does, without a server: finds the route, calls its
// handler, puts what it asks to the service, and hands back the last answer. For tests and fuzz targets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dialect/dialect.h"

namespace braidlog::testing {

// What `pattern` captures of the encoded `path`, or none when it does not match.
inline std::optional<std::vector<std::string>> match_pattern(std::string_view pattern, std::string_view path) {
  std::vector<std::string> captured;
  const auto capture = [&](std::string_view part) {
    auto decoded = percent_decode(part);
    if (!decoded || decoded->empty()) return false;
    captured.push_back(std::move(*decoded));
    return true;
  };
  while (!pattern.empty() && !path.empty()) {
    if (pattern == "/{*}") return capture(path.substr(1)) ? std::optional(captured) : std::nullopt;
    const auto pattern_end = pattern.find('/', 1), path_end = path.find('/', 1);
    const auto expected = pattern.substr(0, pattern_end), part = path.substr(0, path_end);
    if (expected == "/{}" ? !part.starts_with('/') || !capture(part.substr(1)) : expected != part) {
      return std::nullopt;
    }
    pattern.remove_prefix(expected.size());
    path.remove_prefix(part.size());
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return captured;
}

// Follows the questions until there is something for the server to do.
inline Answer settle(Answer answer, api::Service& service, const api::Caller& caller) {
  while (auto* question = std::get_if<Ask>(&answer)) {
    std::optional<Answer> next;
    question->put(service, caller, [&next](Answer reply) { next = std::move(reply); });
    if (!next) return HttpResponse::empty(599);  // the service did not reply at once
    answer = std::move(*next);
  }
  return answer;
}

// None when no route matches method and path.
inline std::optional<Answer> call_route(const Dialect& dialect, const HttpRequest& request, api::Service& service,
                                        const Limits& limits = {}, const api::Caller& caller = {"demo", false},
                                        const ClientInfo& client = {"127.0.0.1", false}) {
  for (const Route& route : dialect.routes()) {
    if (route.method != request.method) continue;
    const auto captured = match_pattern(route.pattern, request.path);
    if (!captured) continue;
    return settle(route.handle({request, *captured, limits, client}), service, caller);
  }
  return std::nullopt;
}

}  // namespace braidlog::testing
