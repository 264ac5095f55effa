#include "net/environment_proxy.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "wire/http.h"

namespace braidlog {

namespace {

// To curl, too, a variable without a value is none.
std::string first_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (auto value = environment(name)) return std::move(*value);
  }
  return {};
}

bool is_address(std::string_view host) {
  const auto last = host.substr(host.rfind('.') + 1);
  return host.find(':') != std::string_view::npos || (!last.empty() && last[0] >= '0' && last[0] <= '9');
}

// "example.com" and ".example.com" both stand for that host and all below it. Networks are left to libcurl.
bool matches(std::string_view host, std::string_view entry) {
  if (is_address(host)) return equals_ignoring_case(host, entry);
  if (entry.starts_with('.')) entry.remove_prefix(1);
  if (entry.empty()) return false;
  if (equals_ignoring_case(host, entry)) return true;
  if (host.size() <= entry.size()) return false;
  const auto dot = host.size() - entry.size() - 1;
  return host[dot] == '.' && equals_ignoring_case(host.substr(dot + 1), entry);
}

}  // namespace

bool is_asked_directly(std::string_view host, const Environment& environment) {
  if (first_of(environment, {"http_proxy", "all_proxy", "ALL_PROXY"}).empty()) return true;
  const std::string exceptions = first_of(environment, {"no_proxy", "NO_PROXY"});
  std::string_view list = exceptions;
  if (list == "*") return true;
  while (!list.empty()) {
    const auto end = std::min(list.find_first_of(", \t"), list.size());
    if (matches(host, list.substr(0, end))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace braidlog
