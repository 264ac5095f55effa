#include "auth/login_gate.h"

#include <algorithm>

#include "auth/user_name.h"
#include "wire/ip_address.h"

namespace braidlog::auth {

LoginGate::LoginGate(const Limits& limits)
    : names_({.failures_max = limits.login_failures_per_name_max, .window = limits.login_failure_window}),
      addresses_({.failures_max = limits.login_failures_per_address_max, .window = limits.login_failure_window}) {}

LoginGate::Try LoginGate::Try::of(const std::string& name, const std::string& address) {
  const auto parsed = IpAddress::parse(address);
  return {.name = lower_case(name), .address = parsed ? parsed->customer().text() : address};
}

Status LoginGate::check(const Try& one, MonoTime now) const {
  const auto by_name = names_.wait(one.name, now), by_address = addresses_.wait(one.address, now);
  if (by_name || by_address) {
    const auto wait =
        std::max(by_name.value_or(std::chrono::milliseconds(0)), by_address.value_or(std::chrono::milliseconds(0)));
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    return fail(ErrorCode::kRateLimited, "Too many wrong passwords; try again later", std::to_string(seconds));
  }
  return {};
}

Status LoginGate::look(const Try& one, MonoTime now) const {
  MutexLock lock(mutex_);
  return check(one, now);
}

Status LoginGate::let_in(const Try& one, MonoTime now) {
  MutexLock lock(mutex_);
  if (auto checked = check(one, now); !checked) return checked;
  names_.add_failure(one.name, now);
  addresses_.add_failure(one.address, now);
  return {};
}

void LoginGate::succeeded(const Try& one, MonoTime now) {
  MutexLock lock(mutex_);
  names_.forget(one.name);
  addresses_.forgive(one.address, now);
}

void LoginGate::take_back(const Try& one, MonoTime now) {
  MutexLock lock(mutex_);
  names_.forgive(one.name, now);
  addresses_.forgive(one.address, now);
}

}  // namespace braidlog::auth
