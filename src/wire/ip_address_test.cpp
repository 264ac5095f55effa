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

// Both ends of each range, and what lies just outside.
TEST(IpAddress, WhatIsNoHostOfTheInternet) {
  for (const char* text : {
           "0.0.0.0",
           "0.255.255.255",
           "10.0.0.0",
           "10.255.255.255",
           "100.64.0.0",
           "100.127.255.255",
           "100.100.100.200",
           "127.0.0.1",
           "127.255.255.255",
           "169.254.0.0",
           "169.254.169.254",
           "169.254.255.255",
           "172.16.0.0",
           "172.31.255.255",
           "192.0.0.0",
           "192.0.0.192",
           "192.0.0.255",
           "192.0.2.0",
           "192.0.2.255",
           "192.88.99.0",
           "192.88.99.255",
           "192.168.0.0",
           "192.168.255.255",
           "198.18.0.0",
           "198.19.255.255",
           "198.51.100.0",
           "198.51.100.255",
           "203.0.113.0",
           "203.0.113.255",
           "224.0.0.0",
           "239.255.255.255",
           "240.0.0.0",
           "255.255.255.255",
           "168.63.129.16",
           // IPv6: none, loopback, and IPv4 in its clothes.
           "::",
           "::1",
           "::7f00:1",
           "::127.0.0.1",
           "::8.8.8.8",
           "::ffff:127.0.0.1",
           "::ffff:10.0.0.1",
           "::ffff:0:127.0.0.1",
           "64:ff9b::127.0.0.1",
           "64:ff9b::169.254.169.254",
           "64:ff9b:0:0:0:1:808:808",
           "64:ff9b:1::",
           "64:ff9b:1::8.8.8.8",
           "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
           "2002:7f00:1::",
           "2002:a00:1::1",
           "2002:808:808::1",
           "2001::",
           "2001:0:7f00:1::",
           "2001:0:4136:e378:8000:63bf:3fff:fdd2",
           // The rest of the registry.
           "100::",
           "100:0:0:1::",
           "2001:2::",
           "2001:10::",
           "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
           "2001:db8::",
           "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
           "3fff::",
           "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
           "5f00::",
           "fc00::",
           "fd00:ec2::254",
           "fd20:ce::254",
           "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
           "fe80::",
           "fe80::a9fe:a9fe",
           "febf:ffff::",
           "fec0::",
           "feff:ffff::",
           "ff00::",
           "ff02::1",
           "1fff::",
           "4000::",
           "8000::",
       }) {
    EXPECT_FALSE(IpAddress::parse(text)->is_public()) << text;
  }
}

TEST(IpAddress, WhatIsAHostOfTheInternet) {
  for (const char* text : {"1.0.0.0",         "9.255.255.255",   "11.0.0.0",
                           "100.63.255.255",  "100.128.0.0",     "126.255.255.255",
                           "128.0.0.0",       "169.253.255.255", "169.255.0.0",
                           "172.15.255.255",  "172.32.0.0",      "191.255.255.255",
                           "192.0.1.0",       "192.0.3.0",       "192.167.255.255",
                           "192.169.0.0",     "198.17.255.255",  "198.20.0.0",
                           "198.51.99.255",   "198.51.101.0",    "203.0.112.255",
                           "203.0.114.0",     "223.255.255.255", "8.8.8.8",
                           "168.63.129.15",   "::ffff:8.8.8.8",  "64:ff9b::8.8.8.8",
                           "2000::",          "2001:200::",      "2001:db7:ffff::",
                           "2001:db9::",      "2003::",          "2606:4700:4700::1111",
                           "2620:4f:8000::1", "3ffe:ffff::",     "3fff:1000::"}) {
    EXPECT_TRUE(IpAddress::parse(text)->is_public()) << text;
  }
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
