#include "net/outbound_rules.h"

#include <algorithm>

namespace braidlog {

Result<OutboundRules> OutboundRules::with(const std::vector<std::string>& networks) const {
  std::vector<IpNetwork> allowed = allowed_;
  for (const auto& text : networks) {
    const auto network = IpNetwork::parse(text);
    if (!network) {
      return fail(ErrorCode::kBadField,
                  "\"" + text + "\" is neither an address nor a network such as 10.1.2.0/24 or fd00::/8");
    }
    allowed.push_back(*network);
  }
  return OutboundRules(std::move(allowed));
}

bool OutboundRules::allows(const IpAddress& address) const {
  return address.is_public() ||
         std::ranges::any_of(allowed_, [&](const IpNetwork& network) { return network.contains(address); });
}

}  // namespace braidlog
