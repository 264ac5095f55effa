#include "engine/user_budgets.h"

#include <algorithm>
#include <cmath>

namespace braidlog {

namespace {

constexpr double kMinuteMs = 60'000;
constexpr std::size_t kAccountsKept = 10'000;

// A burst may use up ten seconds' worth at once, and one run can always be begun.
double burst_of(const Limits& limits) {
  return std::max(1.0, static_cast<double>(limits.user_run_starts_per_minute_max) / 6);
}

}  // namespace

Result<UserBudgets::Place> UserBudgets::take(const api::Caller& caller, MonoTime now) {
  if (caller.kind == api::CredentialKind::kNone) return Place();
  const MutexLock lock(mutex_);
  if (accounts_.size() > kAccountsKept) forget_idle(now);
  const auto [at, is_new] = accounts_.try_emplace(caller.user_id);
  Account& account = at->second;
  if (is_new) account.starts_left = burst_of(limits_);
  if (is_new) account.filled_at = now;
  refill(account, now);
  if (account.live >= limits_.user_runs_max) {
    return fail(ErrorCode::kRateLimited, "You have too many runs under way; wait for some to end", "5");
  }
  if (account.starts_left < 1) {
    const double per_second = static_cast<double>(limits_.user_run_starts_per_minute_max) / 60;
    const double seconds = std::ceil((1 - account.starts_left) / std::max(per_second, 1.0 / 3600));
    return fail(ErrorCode::kRateLimited, "You have begun too many runs; wait a moment",
                std::to_string(static_cast<long>(std::max(1.0, seconds))));
  }
  account.starts_left -= 1;
  ++account.live;
  return Place(*this, caller.user_id);
}

UserBudgets::Place UserBudgets::keep(const std::string& user_id) {
  const MutexLock lock(mutex_);
  ++accounts_[user_id].live;
  return Place(*this, user_id);
}

void UserBudgets::give_back(const std::string& user_id) {
  const MutexLock lock(mutex_);
  const auto at = accounts_.find(user_id);
  if (at != accounts_.end() && at->second.live > 0) --at->second.live;
}

void UserBudgets::refill(Account& account, MonoTime now) {
  const double per_minute = static_cast<double>(limits_.user_run_starts_per_minute_max);
  const double more = static_cast<double>(now.ms - account.filled_at.ms) / kMinuteMs * per_minute;
  account.starts_left = std::min(burst_of(limits_), account.starts_left + more);
  account.filled_at = now;
}

void UserBudgets::forget_idle(MonoTime now) {
  std::erase_if(accounts_, [&](auto& entry) {
    return entry.second.live == 0 && now.ms - entry.second.filled_at.ms > static_cast<std::int64_t>(kMinuteMs);
  });
}

}  // namespace braidlog
