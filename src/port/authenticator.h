// Names the user behind a request. Answers from memory and never blocks. Thread-safe.
#pragma once

#include <string_view>

#include "api/caller.h"
#include "base/result.h"

namespace braidlog {

struct Credentials {
  std::string_view authorization;  // the header's value, or empty
  std::string_view cookie;
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;
  virtual Result<api::Caller> authenticate(const Credentials& credentials) const = 0;  // kUnauthorized
};

}  // namespace braidlog
