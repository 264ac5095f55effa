#include "server/route_table.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <optional>
#include <span>

namespace braidlog {

namespace {

constexpr std::string_view kOne = "{}", kRest = "{*}";

// Of a path; most have few enough to need no memory of their own.
using Parts = boost::container::small_vector<std::string_view, 8>;

Parts split(std::string_view path) {
  Parts parts;
  if (path.starts_with('/')) path.remove_prefix(1);
  for (;;) {
    const auto slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// What the pattern captures of the path, still encoded; none when it does not fit.
std::optional<Parts> capture(std::span<const std::string_view> pattern, std::span<const std::string_view> path) {
  Parts captured;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (i >= path.size()) return std::nullopt;
    if (pattern[i] == kRest) {
      captured.emplace_back(path[i].data(),
                            static_cast<std::size_t>(path.back().data() + path.back().size() - path[i].data()));
      return captured;
    }
    if (pattern[i] == kOne) {
      captured.push_back(path[i]);
    } else if (pattern[i] != path[i]) {
      return std::nullopt;
    }
  }
  return pattern.size() == path.size() ? std::optional(captured) : std::nullopt;
}

// A NUL names no object and no file, but it is not the whole request that is broken.
std::optional<std::string> decode(std::string_view text) {
  if (auto decoded = percent_decode(text)) return decoded;
  return text.find("%00") != std::string_view::npos ? std::optional(std::string(1, '\0')) : std::nullopt;
}

bool answers(const Route& route, Method method) {
  return route.method == method || (method == Method::kHead && route.method == Method::kGet && !route.streams);
}

void add_allowed(std::string& allow, const Route& route) {
  const auto add = [&](std::string_view name) {
    if (allow.find(name) != std::string::npos) return;
    if (!allow.empty()) allow += ", ";
    allow += name;
  };
  add(name_of(route.method));
  if (route.method == Method::kGet && !route.streams) add("HEAD");
}

}  // namespace

RouteTable::RouteTable(std::vector<const Dialect*> dialects) : dialects_(std::move(dialects)) {
  for (const Dialect* dialect : dialects_) {
    for (const Route& route : dialect->routes()) {
      const Parts parts = split(route.pattern);
      entries_.push_back({&route, dialect, {parts.begin(), parts.end()}});
    }
  }
}

std::variant<RouteMatch, RouteMiss> RouteTable::find(Method method, std::string_view path) const {
  const auto parts = split(path);
  std::string allow;
  const Dialect* allowed_by = nullptr;
  for (const Entry& entry : entries_) {
    const auto captured = capture(entry.parts, parts);
    if (!captured) continue;
    if (!answers(*entry.route, method)) {
      add_allowed(allow, *entry.route);
      allowed_by = entry.dialect;
      continue;
    }
    RouteMatch match{entry.route, entry.dialect, {}};
    for (const auto text : *captured) {
      auto decoded = decode(text);
      if (!decoded) return RouteMiss{{ErrorCode::kMalformed, "The path is not valid text", {}}, entry.dialect};
      match.captured.push_back(std::move(*decoded));
    }
    return match;
  }
  if (allowed_by != nullptr) {
    return RouteMiss{{ErrorCode::kMethodNotAllowed, "Method not allowed", allow}, owner_of(path)};
  }
  return RouteMiss{{ErrorCode::kUnknownRoute, "Not found", {}}, owner_of(path)};
}

const Dialect* RouteTable::owner_of(std::string_view path) const {
  const auto at = std::ranges::find_if(dialects_, [&](const Dialect* d) { return d->owns_path(path); });
  return at == dialects_.end() ? nullptr : *at;
}

}  // namespace braidlog
