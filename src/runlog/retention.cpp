#include "runlog/retention.h"

#include <algorithm>
#include <cstdlib>

#include "base/log.h"

namespace braidlog {

namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kRunsAtOnce = 100;  // a commit of this size holds nobody up
constexpr milliseconds kLookMin{100}, kLookMax{60'000};
constexpr milliseconds kStepMax{10'000};

}  // namespace

void Retention::begin() {
  if (!clock_is_steady()) return look_again(interval());
  const WallTime before{loop_.clock().wall().ms - keep_.count()};
  submit_one(store_, ExpireRuns{before, kRunsAtOnce}, loop_,
             [this](const Result<WriteOutcome>& result) { looked(result); });
}

void Retention::looked(const Result<WriteOutcome>& result) {
  // A store that refuses has said so itself; the next look tries again.
  if (result && result->expired > 0) log_debug("runs expired", {{"count", std::to_string(result->expired)}});
  const bool more = result && result->expired == kRunsAtOnce;
  look_again(more ? milliseconds(1) : interval());
}

// A wall clock that was just set is not believed at once: what goes is gone for good.
bool Retention::clock_is_steady() {
  const std::pair now{loop_.clock().wall(), loop_.clock().mono()};
  const auto before = std::exchange(last_look_, now);
  if (!before) return true;
  const auto stepped = (now.first.ms - before->first.ms) - (now.second.ms - before->second.ms);
  return std::abs(stepped) < kStepMax.count();
}

milliseconds Retention::interval() const {
  return std::clamp(keep_ / 4, kLookMin, kLookMax);
}

void Retention::look_again(milliseconds delay) {
  next_ = loop_.after(delay, [this] { begin(); });
}

}  // namespace braidlog
