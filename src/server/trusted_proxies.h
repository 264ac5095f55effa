// Where a request came from. Anybody can write X-Forwarded-For and X-Forwarded-Proto; they count only when the peer is
// a proxy that the operator trusts (--trusted-proxy), and of the addresses in it the last one that is not such a proxy:
// what stands before that was written by the client itself.
//
// Immutable; used by all io threads.
#pragma once

#include <vector>

#include "dialect/dialect.h"
#include "wire/http.h"
#include "wire/ip_address.h"

namespace braidlog {

class TrustedProxies {
 public:
  TrustedProxies() = default;
  explicit TrustedProxies(std::vector<IpNetwork> networks) : networks_(std::move(networks)) {}

  ClientInfo client_of(const HttpRequest& head) const;

 private:
  bool trusts(const IpAddress& address) const;

  std::vector<IpNetwork> networks_;
};

}  // namespace braidlog
