// The lock of the database belongs to whoever writes, and SQLite keeps no line for it: others look now and then. A
// writer that begins again as soon as it has ended is never met by them, least of all on the same core. So the server's
// writer leaves the lock alone for a moment, often enough that a login or a command beside it has its turn soon. One
// that has to wait for work anyway loses nothing.
//
// Runs on: the writer's thread.
#pragma once

#include <chrono>
#include <thread>

namespace braidlog::store {

class WriterRests {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kRest{1};  // longer than others wait between two looks
  static constexpr std::chrono::milliseconds kWorkMax{100};

  // Around a transaction: the first waits when the last rest was too long ago.
  void before_work() { std::this_thread::sleep_for(next(std::chrono::steady_clock::now())); }
  void after_work() { note_end(std::chrono::steady_clock::now()); }

  // How long the lock is to be left alone before work that could begin `now`. 0: not at all.
  std::chrono::milliseconds next(Time now) {
    if (now - work_end_ >= kRest) rest_end_ = now;
    if (now - rest_end_ <= kWorkMax) return {};
    rest_end_ = now + kRest;
    return kRest;
  }
  void note_end(Time now) { work_end_ = now; }

 private:
  Time work_end_{}, rest_end_{};
};

}  // namespace braidlog::store
