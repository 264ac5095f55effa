#include "wire/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace braidlog {

namespace {

constexpr std::array<std::uint8_t, 12> kV4Prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned kV4PrefixBits = 96;

IpAddress cut_to(IpAddress address, unsigned bits) {
  for (unsigned i = 0; i < address.bytes.size(); ++i) {
    const unsigned kept = std::clamp(static_cast<int>(bits) - static_cast<int>(8 * i), 0, 8);
    address.bytes[i] &= static_cast<std::uint8_t>(0xff00 >> kept);
  }
  return address;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string address(text.substr(0, text.find('%')));
  if (address.find('\0') != std::string::npos) return std::nullopt;  // C's functions would stop there
  IpAddress out;
  if (inet_pton(AF_INET6, address.c_str(), out.bytes.data()) == 1) return out;
  std::ranges::copy(kV4Prefix, out.bytes.begin());
  if (inet_pton(AF_INET, address.c_str(), &out.bytes[kV4Prefix.size()]) == 1) return out;
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::parse_with_port(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    return end == std::string_view::npos ? std::nullopt : parse(text.substr(1, end - 1));
  }
  const auto colon = text.find(':');
  const bool has_one_colon = colon != std::string_view::npos && text.find(':', colon + 1) == std::string_view::npos;
  return parse(has_one_colon ? text.substr(0, colon) : text);
}

bool IpAddress::is_v4() const {
  return std::equal(kV4Prefix.begin(), kV4Prefix.end(), bytes.begin());
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (is_v4()) {
    inet_ntop(AF_INET, &bytes[kV4Prefix.size()], out.data(), out.size());
  } else {
    inet_ntop(AF_INET6, bytes.data(), out.data(), out.size());
  }
  return out.data();
}

IpAddress IpAddress::customer() const {
  return is_v4() ? *this : cut_to(*this, 64);
}

std::optional<IpNetwork> IpNetwork::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto base = IpAddress::parse(text.substr(0, slash));
  if (!base || text.find('%') != std::string_view::npos) return std::nullopt;
  IpNetwork network;
  network.base_ = *base;
  if (slash == std::string_view::npos) return network;
  const auto digits = text.substr(slash + 1);
  const bool is_v4 = text.find(':') == std::string_view::npos;
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || bits > (is_v4 ? 32u : 128u)) {
    return std::nullopt;
  }
  network.prefix_bits_ = is_v4 ? bits + kV4PrefixBits : bits;
  if (cut_to(*base, network.prefix_bits_) != *base) return std::nullopt;
  return network;
}

bool IpNetwork::contains(const IpAddress& address) const {
  return cut_to(address, prefix_bits_) == base_;
}

}  // namespace braidlog
