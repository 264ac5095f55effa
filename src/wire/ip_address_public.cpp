// Which addresses belong to hosts of the public internet. IPv4: all but the ranges that IANA's special-purpose registry
// does not call globally reachable. IPv6: only what is given out to networks (2000::/3), without the ranges inside it
// that are special; so whatever is set aside later is refused before this list knows of it.
#include <algorithm>
#include <array>

#include "wire/ip_address.h"

namespace braidlog {

namespace {

IpNetwork network(std::string_view text) {
  return IpNetwork::parse(text).value();
}

bool is_in(const auto& networks, const IpAddress& address) {
  return std::ranges::any_of(networks, [&](const IpNetwork& one) { return one.contains(address); });
}

bool is_public_v4(const IpAddress& address) {
  static const std::array kSpecial{
      network("0.0.0.0/8"),        // this network; the system takes it for loopback
      network("10.0.0.0/8"),       // private
      network("100.64.0.0/10"),    // shared by customers of a carrier; a cloud keeps its metadata there
      network("127.0.0.0/8"),      // loopback
      network("168.63.129.16"),    // public by number, but in Azure the host itself
      network("169.254.0.0/16"),   // link-local, with the metadata services of most clouds
      network("172.16.0.0/12"),    // private
      network("192.0.0.0/24"),     // protocol assignments; another cloud's metadata
      network("192.0.2.0/24"),     // documentation
      network("192.88.99.0/24"),   // 6to4 relays, withdrawn
      network("192.168.0.0/16"),   // private
      network("198.18.0.0/15"),    // benchmarking
      network("198.51.100.0/24"),  // documentation
      network("203.0.113.0/24"),   // documentation
      network("224.0.0.0/4"),      // multicast
      network("240.0.0.0/4"),      // reserved, and broadcast
  };
  return !is_in(kSpecial, address);
}

// 64:ff9b::/96 is how a network without IPv4 reaches IPv4 hosts: its last four bytes are what counts.
IpAddress last_four_bytes_as_v4(const IpAddress& address) {
  IpAddress out = IpAddress::parse("0.0.0.0").value();
  std::copy(address.bytes.end() - 4, address.bytes.end(), out.bytes.end() - 4);
  return out;
}

}  // namespace

bool IpAddress::is_public() const {
  if (is_v4()) return is_public_v4(*this);
  static const IpNetwork kNat64 = network("64:ff9b::/96"), kGivenOut = network("2000::/3");
  static const std::array kSpecial{
      network("2001::/23"),      // protocol assignments: Teredo, benchmarking and others
      network("2001:db8::/32"),  // documentation
      network("2002::/16"),      // 6to4: an IPv4 address within, and nobody routes it any more
      network("3fff::/20"),      // documentation
  };
  if (kNat64.contains(*this)) return is_public_v4(last_four_bytes_as_v4(*this));
  return kGivenOut.contains(*this) && !is_in(kSpecial, *this);
}

}  // namespace braidlog
