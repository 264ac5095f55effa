#include "server/trusted_proxies.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

class TrustedProxiesTest : public ::testing::Test {
 protected:
  ClientInfo from(std::string peer, std::vector<HttpHeader> headers = {}) const {
    HttpRequest request;
    request.peer = std::move(peer);
    request.headers = std::move(headers);
    return proxies_.client_of(request);
  }
  std::string address(std::string peer, std::string forwarded) const {
    return from(std::move(peer), {{"X-Forwarded-For", std::move(forwarded)}}).address;
  }
  TrustedProxies proxies_{{*IpNetwork::parse("10.0.0.0/8"), *IpNetwork::parse("fd00::/8")}};
};

TEST_F(TrustedProxiesTest, AStrangerIsNotBelieved) {
  const auto client = from("192.0.2.1", {{"X-Forwarded-For", "198.51.100.7"}, {"X-Forwarded-Proto", "https"}});
  EXPECT_EQ(client.address, "192.0.2.1");
  EXPECT_FALSE(client.is_secure);
  EXPECT_FALSE(TrustedProxies()
                   .client_of([] {
                     HttpRequest request;
                     request.peer = "127.0.0.1";
                     request.headers = {{"X-Forwarded-Proto", "https"}};
                     return request;
                   }())
                   .is_secure);
}

TEST_F(TrustedProxiesTest, TheLastAddressThatIsNoProxyIsTheClient) {
  EXPECT_EQ(address("10.0.0.1", "198.51.100.7"), "198.51.100.7");
  EXPECT_EQ(address("10.0.0.1", "1.1.1.1, 198.51.100.7"), "198.51.100.7") << "the first was written by the client";
  EXPECT_EQ(address("10.0.0.1", "198.51.100.7, 10.2.3.4 ,10.9.9.9"), "198.51.100.7");
  EXPECT_EQ(address("::ffff:10.0.0.1", "198.51.100.7:4711"), "198.51.100.7");
  EXPECT_EQ(address("fd00::1", "[2001:db8::7]:80"), "2001:db8::7");
  EXPECT_EQ(address("10.0.0.1", "10.0.0.5"), "10.0.0.5") << "a client inside";
}

TEST_F(TrustedProxiesTest, NonsenseEndsTheSearch) {
  EXPECT_EQ(address("10.0.0.1", ""), "10.0.0.1");
  EXPECT_EQ(address("10.0.0.1", "unknown"), "10.0.0.1");
  EXPECT_EQ(address("10.0.0.1", "198.51.100.7, <script>"), "10.0.0.1");
  EXPECT_EQ(address("10.0.0.1", "198.51.100.7, unknown, 10.0.0.2"), "10.0.0.2");
  EXPECT_EQ(from("10.0.0.1").address, "10.0.0.1");
  EXPECT_EQ(from("").address, "");
}

TEST_F(TrustedProxiesTest, SeveralLinesAreOneList) {
  const auto client =
      from("10.0.0.1", {{"X-Forwarded-For", "1.1.1.1"}, {"Host", "x"}, {"x-forwarded-for", "198.51.100.7, 10.0.0.3"}});
  EXPECT_EQ(client.address, "198.51.100.7");
}

TEST_F(TrustedProxiesTest, TheNearestProxySaysWhetherItIsTls) {
  EXPECT_TRUE(from("10.0.0.1", {{"X-Forwarded-Proto", "https"}}).is_secure);
  EXPECT_TRUE(from("10.0.0.1", {{"X-Forwarded-Proto", "HTTPS"}}).is_secure);
  EXPECT_TRUE(from("10.0.0.1", {{"X-Forwarded-Proto", "http, https"}}).is_secure);
  EXPECT_FALSE(from("10.0.0.1", {{"X-Forwarded-Proto", "https, http"}}).is_secure) << "the first is the client's word";
  EXPECT_FALSE(from("10.0.0.1", {{"X-Forwarded-Proto", ""}}).is_secure);
  EXPECT_FALSE(from("10.0.0.1").is_secure);
}

}  // namespace
}  // namespace braidlog
