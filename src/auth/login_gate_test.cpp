#include "auth/login_gate.h"

#include <gtest/gtest.h>

namespace braidlog::auth {
namespace {

using std::chrono::milliseconds;

TEST(Throttle, LetsABurstThroughAndThenAsManyAsTheBucketLoses) {
  Throttle throttle({.failures_max = 3, .window = milliseconds(3000)});
  MonoTime now{1000};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(throttle.wait("ada", now));
    throttle.add_failure("ada", now);
  }
  EXPECT_EQ(throttle.wait("ada", now), milliseconds(1000));
  EXPECT_FALSE(throttle.wait("bob", now));
  now.ms += 400;
  EXPECT_EQ(throttle.wait("ada", now), milliseconds(600));
  now.ms += 600;
  EXPECT_FALSE(throttle.wait("ada", now));
  throttle.add_failure("ada", now);
  EXPECT_TRUE(throttle.wait("ada", now));
  throttle.forgive("ada", now);
  EXPECT_FALSE(throttle.wait("ada", now));
  throttle.add_failure("ada", now);
  throttle.forget("ada");
  for (int i = 0; i < 3; ++i) throttle.add_failure("ada", now);
  EXPECT_TRUE(throttle.wait("ada", now));
}

TEST(Throttle, KeepsOnlySoManyKeysAndTheFullestOfThem) {
  Throttle throttle({.failures_max = 3, .window = milliseconds(3000), .keys_max = 100});
  MonoTime now{1000};
  for (int i = 0; i < 3; ++i) throttle.add_failure("victim", now);
  for (int i = 0; i < 1000; ++i) throttle.add_failure("name" + std::to_string(i), now);
  EXPECT_LE(throttle.keys(), 100u);
  EXPECT_TRUE(throttle.wait("victim", now)) << "a flood of names must not wash it away";
  now.ms += 10'000;
  throttle.add_failure("one more", now);
  EXPECT_EQ(throttle.keys(), 1u) << "what has emptied goes first";
}

class LoginGateTest : public ::testing::Test {
 protected:
  static Limits limits() {
    Limits limits;
    limits.login_failures_per_name_max = 3;
    limits.login_failures_per_address_max = 5;
    limits.login_failure_window = milliseconds(60'000);
    return limits;
  }
  bool let_in(const std::string& name, const std::string& address) {
    return gate_.let_in(LoginGate::Try::of(name, address), now_).has_value();
  }
  LoginGate gate_{limits()};
  MonoTime now_{1000};
};

TEST_F(LoginGateTest, CountsByNameWhateverItsCase) {
  EXPECT_TRUE(let_in("ada", "192.0.2.1"));
  EXPECT_TRUE(let_in("Ada", "192.0.2.2"));
  EXPECT_TRUE(let_in("ADA", "192.0.2.3"));
  const auto refused = gate_.let_in(LoginGate::Try::of("ada", "192.0.2.4"), now_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kRateLimited);
  EXPECT_EQ(refused.error().subject, "20");
  EXPECT_TRUE(let_in("bob", "192.0.2.4"));
}

TEST_F(LoginGateTest, CountsByAddress) {
  for (const char* name : {"a", "b", "c", "d", "e"}) EXPECT_TRUE(let_in(name, "192.0.2.1")) << name;
  EXPECT_FALSE(let_in("f", "192.0.2.1"));
  EXPECT_FALSE(let_in("f", "::ffff:192.0.2.1"));
  EXPECT_TRUE(let_in("f", "192.0.2.2"));
}

TEST_F(LoginGateTest, AnIpv6CustomerIsOneAddress) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(let_in(std::string(1, static_cast<char>('a' + i)), "2001:db8:1:2::" + std::to_string(i)));
  }
  EXPECT_FALSE(let_in("f", "2001:db8:1:2:ffff::1"));
  EXPECT_TRUE(let_in("f", "2001:db8:1:3::1"));
}

TEST_F(LoginGateTest, ARightPasswordClearsTheNameButNotTheAddress) {
  const auto attempt = LoginGate::Try::of("ada", "192.0.2.1");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(gate_.let_in(attempt, now_).has_value());
  gate_.succeeded(attempt, now_);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(let_in("ada", "192.0.2.1")) << i;
  EXPECT_FALSE(let_in("bob", "192.0.2.1")) << "five wrong ones from here";
}

TEST_F(LoginGateTest, WhatIsTakenBackDoesNotCount) {
  const auto attempt = LoginGate::Try::of("ada", "192.0.2.1");
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(gate_.let_in(attempt, now_).has_value());
    gate_.take_back(attempt, now_);
  }
}

}  // namespace
}  // namespace braidlog::auth
