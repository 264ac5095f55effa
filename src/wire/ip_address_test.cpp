#include "wire/ip_address.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

std::string text_of(std::string_view text) {
  const auto address = IpAddress::parse_with_port(text);
  return address ? address->text() : "none";
}

bool holds(std::string_view network, std::string_view address) {
  const auto n = IpNetwork::parse(network);
  const auto a = IpAddress::parse(address);
  EXPECT_TRUE(n && a) << network << " " << address;
  return n && a && n->contains(*a);
}

TEST(IpAddress, EverySpellingOfAnAddress) {
  EXPECT_EQ(text_of("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(text_of("192.0.2.1:8080"), "192.0.2.1");
  EXPECT_EQ(text_of("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(text_of("2001:DB8:0::1"), "2001:db8::1");
  EXPECT_EQ(text_of("[2001:db8::1]"), "2001:db8::1");
  EXPECT_EQ(text_of("[2001:db8::1]:443"), "2001:db8::1");
  EXPECT_EQ(text_of("fe80::1%eth0"), "fe80::1");
  EXPECT_EQ(text_of(std::string_view("127.0.0.1\0x", 11)), "none");
  for (const char* bad : {"", "unknown", "1.2.3", "1.2.3.4.5", "01.2.3.4.", "256.1.1.1", "[::1", "_hidden",
                          "::1::", "evil.test", "127.1"}) {
    EXPECT_EQ(text_of(bad), "none") << bad;
  }
}

TEST(IpAddress, ACustomerHasAWholeNetworkOfIpv6) {
  EXPECT_EQ(IpAddress::parse("2001:db8:1:2:3:4:5:6")->customer(), IpAddress::parse("2001:db8:1:2::")->customer());
  EXPECT_NE(IpAddress::parse("2001:db8:1:2::1")->customer(), IpAddress::parse("2001:db8:1:3::1")->customer());
  EXPECT_NE(IpAddress::parse("192.0.2.1")->customer(), IpAddress::parse("192.0.2.2")->customer());
}

TEST(IpNetwork, HoldsItsAddresses) {
  EXPECT_TRUE(holds("10.0.0.0/8", "10.255.3.4"));
  EXPECT_FALSE(holds("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(holds("10.1.2.128/25", "10.1.2.129"));
  EXPECT_FALSE(holds("10.1.2.128/25", "10.1.2.127"));
  EXPECT_TRUE(holds("127.0.0.1", "::ffff:127.0.0.1"));
  EXPECT_FALSE(holds("127.0.0.1", "127.0.0.2"));
  EXPECT_TRUE(holds("2001:db8::/32", "2001:db8:ffff::1"));
  EXPECT_FALSE(holds("2001:db8::/32", "2001:db9::1"));
  EXPECT_TRUE(holds("0.0.0.0/0", "192.0.2.1"));
  EXPECT_FALSE(holds("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(holds("::/0", "2001:db8::1"));
}

TEST(IpNetwork, NothingElseIsOne) {
  for (const char* bad : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0.1/8", "::1/129", "host",
                          "fe80::1%eth0", "/8", "10/8"}) {
    EXPECT_FALSE(IpNetwork::parse(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace braidlog
