#include "server/trusted_proxies.h"

#include <algorithm>
#include <string_view>

namespace braidlog {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  return from == std::string_view::npos ? std::string_view()
                                        : text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

// The items of a list header, also when it is spread over several lines.
std::vector<std::string_view> items_of(const HttpRequest& head, std::string_view name) {
  std::vector<std::string_view> items;
  for (const HttpHeader& header : head.headers) {
    if (!equals_ignoring_case(header.name, name)) continue;
    for (std::string_view rest = header.value;;) {
      const auto comma = rest.find(',');
      items.push_back(trimmed(rest.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return items;
}

}  // namespace

bool TrustedProxies::trusts(const IpAddress& address) const {
  return std::ranges::any_of(networks_, [&](const IpNetwork& network) { return network.contains(address); });
}

ClientInfo TrustedProxies::client_of(const HttpRequest& head) const {
  ClientInfo client{.address = head.peer, .is_secure = false};
  if (networks_.empty()) return client;
  auto nearest = IpAddress::parse(head.peer);
  if (!nearest || !trusts(*nearest)) return client;

  const auto protocols = items_of(head, "X-Forwarded-Proto");
  client.is_secure = !protocols.empty() && equals_ignoring_case(protocols.back(), "https");
  const auto hops = items_of(head, "X-Forwarded-For");
  for (auto hop = hops.rbegin(); hop != hops.rend() && trusts(*nearest); ++hop) {
    const auto address = IpAddress::parse_with_port(*hop);
    if (!address) break;  // "unknown", or nonsense: the proxy that wrote it is all we know
    nearest = address;
  }
  client.address = nearest->text();
  return client;
}

}  // namespace braidlog
