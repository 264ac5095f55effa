// Which addresses a tool may connect to. What a model or a web page names may lead anywhere: into this machine, into
// the network behind it, to the metadata service of a cloud. So the address is judged when the connection is made,
// after all spellings, names and redirects have become one number; public ones may be reached, others only where the
// operator says so.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "wire/ip_address.h"

namespace braidlog {

// Immutable and thread-safe.
class OutboundRules {
 public:
  // Public addresses, and those of `allowed`.
  explicit OutboundRules(std::vector<IpNetwork> allowed = {}) : allowed_(std::move(allowed)) {}
  // These, and the networks that a tool's own entry in an agent file names ("127.0.0.0/8", "10.1.2.3"). kBadField.
  Result<OutboundRules> with(const std::vector<std::string>& networks) const;

  bool allows(const IpAddress& address) const;

 private:
  std::vector<IpNetwork> allowed_;
};

using OutboundRulesPtr = std::shared_ptr<const OutboundRules>;

}  // namespace braidlog
