// Takes the events of finished runs out of the store when they have been kept long enough. The runs themselves, their
// status and the messages of their sessions stay; a replay is then kGone. Runs on: one io thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/loop.h"
#include "runlog/store_access.h"

namespace braidlog {

class Retention {
 public:
  // Both outlive this. `keep` is how long after its end a run can be replayed.
  Retention(Loop& loop, StoreAccess& store, std::chrono::milliseconds keep) : loop_(loop), store_(store), keep_(keep) {}

  // Looks now, and again and again until this is destroyed. On its loop.
  void begin();

 private:
  bool clock_is_steady();
  std::chrono::milliseconds interval() const;
  void look_again(std::chrono::milliseconds delay);
  void looked(const Result<WriteOutcome>& result);

  Loop& loop_;
  StoreAccess& store_;
  const std::chrono::milliseconds keep_;
  Timer next_;
  std::optional<std::pair<WallTime, MonoTime>> last_look_;
};

}  // namespace braidlog
