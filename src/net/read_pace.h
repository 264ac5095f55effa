// When a client looks at its sockets again. While few of them speak it looks as soon as one does. While very many do,
// each look would find a handful and lead to a commit of the log and a wake-up of those who read it, which cost the
// same for a hundred. So from some rate on there are a few hundred looks a second and no more: some milliseconds of
// delay for a sixth of the work.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace braidlog {

// Runs on: the io thread of its client.
class ReadPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kDistance{3};
  static constexpr std::chrono::milliseconds kWindow{10};  // over which the rate is taken
  static constexpr int kBusyPerMillisecond = 20;

  // `count` sockets were found ready `now`.
  void note(Time now, int count) {
    count_ += count;
    if (now - window_begin_ >= kWindow) {
      is_busy_ = count_ >= (now - window_begin_) / std::chrono::milliseconds(1) * kBusyPerMillisecond;
      count_ = 0;
      window_begin_ = now;
    }
    // Who is late looks at once, and does not catch up. Who looks in between does not change the beat.
    if (due_ <= now) due_ = is_busy_ ? std::max(due_ + kDistance, now) : now;
  }
  // False: the next look is when a socket is ready. True: at due().
  bool is_busy() const { return is_busy_; }
  Time due() const { return due_; }

 private:
  Time window_begin_{}, due_{};
  std::int64_t count_ = 0;
  bool is_busy_ = false;
};

}  // namespace braidlog
