// Who may try to log in now. A try is counted as a failure when its password begins to be checked and forgiven when it
// was right, so that a thousand tries at once are no way around the limit. Thread-safe.
#pragma once

#include <string>

#include "auth/throttle.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/thread_annotations.h"

namespace braidlog::auth {

class LoginGate {
 public:
  explicit LoginGate(const Limits& limits);

  struct Try {
    std::string name;     // in lower case
    std::string address;  // of the client; one key for the whole network of an IPv6 customer
    static Try of(const std::string& name, const std::string& address);
  };
  // kRateLimited with whole seconds as the subject: too many have failed.
  Status look(const Try& one, MonoTime now) const;
  // The same, and counts this one when it is let in.
  Status let_in(const Try& one, MonoTime now);
  // The name begins anew.
  void succeeded(const Try& one, MonoTime now);
  // It was not the client's fault.
  void take_back(const Try& one, MonoTime now);

 private:
  Status check(const Try& one, MonoTime now) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  Throttle names_ GUARDED_BY(mutex_);
  Throttle addresses_ GUARDED_BY(mutex_);
};

}  // namespace braidlog::auth
