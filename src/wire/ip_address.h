// Addresses of clients and proxies as values: compared, counted and looked for in networks. IPv4 addresses are kept in
// their IPv6 form (::ffff:a.b.c.d), so that one that comes in either form is the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace braidlog {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  bool operator==(const IpAddress&) const = default;

  // "192.0.2.1", "2001:db8::1", with or without a zone ("fe80::1%eth0").
  static std::optional<IpAddress> parse(std::string_view text);
  // Also with a port: "192.0.2.1:80", "[2001:db8::1]:80", as some proxies write it.
  static std::optional<IpAddress> parse_with_port(std::string_view text);

  bool is_v4() const;
  // Whether it is a host of the public internet: false for this machine, private and link-local networks, metadata
  // services of clouds, multicast, and all that IANA's special-purpose registries do not call globally reachable. An
  // IPv6 address that leads to an IPv4 one is judged by that, or not public at all.
  bool is_public() const;
  std::string text() const;
  // The network that one customer has: an IPv6 address can be any of 2^64.
  IpAddress customer() const;
};

class IpNetwork {
 public:
  // "10.0.0.0/8", "2001:db8::/32", or one address. Bits after the prefix must be 0: they are a slip of the pen.
  static std::optional<IpNetwork> parse(std::string_view text);
  bool contains(const IpAddress& address) const;

 private:
  IpAddress base_;
  unsigned prefix_bits_ = 128;
};

}  // namespace braidlog
