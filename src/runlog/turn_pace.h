// How fast commits in which runs begin or end may follow each other. Such a commit writes every page that it touches,
// and all runs touch mostly the same ones: ten runs in one commit cost a third of ten commits. So there are a thousand
// of these commits a second and no more; a burst of a few goes through at once, and who is alone never waits.
#pragma once

#include <algorithm>
#include <chrono>

namespace braidlog {

// Runs on: the store's writer thread.
class TurnPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kDistance{1};
  static constexpr int kAtOnceMax = 4;

  // When a commit that is ready `now` may begin: now, or a moment later. It counts as begun then.
  Time next(Time now) {
    const Time begin = std::max(now, due_);
    due_ = std::max(due_, now - (kAtOnceMax - 1) * kDistance) + kDistance;
    return begin;
  }

 private:
  Time due_{};
};

}  // namespace braidlog
