#include "runlog/retention.h"

#include <algorithm>

#include "base/log.h"

namespace braidlog {

namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kRunsAtOnce = 100;  // a commit of this size holds nobody up
constexpr milliseconds kLookMin{100}, kLookMax{60'000};

}  // namespace

void Retention::begin() {
  const WallTime before{loop_.clock().wall().ms - keep_.count()};
  submit_one(store_, ExpireRuns{before, kRunsAtOnce}, loop_,
             [this](const Result<WriteOutcome>& result) { looked(result); });
}

void Retention::looked(const Result<WriteOutcome>& result) {
  // A store that refuses has said so itself; the next look tries again.
  if (result && result->expired > 0) log_debug("runs expired", {{"count", std::to_string(result->expired)}});
  const bool more = result && result->expired == kRunsAtOnce;
  next_ = loop_.after(more ? milliseconds(1) : std::clamp(keep_ / 4, kLookMin, kLookMax), [this] { begin(); });
}

}  // namespace braidlog
