// Names the user behind a request. Answers from memory and never blocks. Thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "api/caller.h"
#include "base/result.h"

namespace braidlog {

struct Credentials {
  std::optional<std::string_view> authorization;  // the header's value; an empty one is a bad key too
  std::string_view cookie;                        // of the Cookie header
  bool is_secure = false;                         // the request came over TLS
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // kUnauthorized: nothing shown (and no --dev), or a key that is bad, revoked or out of date. A bad key counts beside
  // a good cookie too; a bad cookie counts as none.
  virtual Result<api::Caller> authenticate(const Credentials& credentials) const = 0;
  // Whether the credential of a caller that was named before is still good: a request may take its time.
  virtual bool is_still_good(const api::Caller&) const { return true; }
};

}  // namespace braidlog
