#include "net/outbound_rules.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

bool allows(const OutboundRules& rules, std::string_view address) {
  return rules.allows(IpAddress::parse(address).value());
}

TEST(OutboundRules, PublicAddressesAlone) {
  const OutboundRules rules;
  EXPECT_TRUE(allows(rules, "8.8.8.8"));
  EXPECT_TRUE(allows(rules, "2606:4700:4700::1111"));
  EXPECT_FALSE(allows(rules, "127.0.0.1"));
  EXPECT_FALSE(allows(rules, "::1"));
  EXPECT_FALSE(allows(rules, "169.254.169.254"));
}

TEST(OutboundRules, WhatTheOperatorAndAToolNameBesides) {
  const OutboundRules server({IpNetwork::parse("10.1.0.0/16").value()});
  const auto tool = server.with({"127.0.0.1", "fd00::/8"});
  ASSERT_TRUE(tool);
  for (const char* address : {"10.1.2.3", "127.0.0.1", "::ffff:127.0.0.1", "fd12::1", "8.8.8.8"}) {
    EXPECT_TRUE(allows(*tool, address)) << address;
  }
  for (const char* address : {"10.2.0.1", "127.0.0.2", "::1", "::127.0.0.1", "64:ff9b::127.0.0.1", "fe80::1"}) {
    EXPECT_FALSE(allows(*tool, address)) << address;
  }
  EXPECT_FALSE(allows(server, "127.0.0.1")) << "a tool's networks are its own";
}

TEST(OutboundRules, ANetworkThatIsNoneIsNamed) {
  for (const char* text : {"localhost", "10.0.0.1/8", "127.1", ""}) {
    const auto made = OutboundRules().with({"10.0.0.0/8", text});
    ASSERT_FALSE(made) << text;
    EXPECT_EQ(made.error().code, ErrorCode::kBadField);
    EXPECT_NE(made.error().message.find("\"" + std::string(text) + "\""), std::string::npos);
  }
}

}  // namespace
}  // namespace braidlog
