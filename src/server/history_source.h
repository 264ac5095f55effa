// Where projections get the messages that a frame shows. Runs on: the io thread of the run.
#pragma once

#include <memory>

#include "base/unique_function.h"
#include "dialect/projection.h"

namespace braidlog {

class HistorySource {
 public:
  virtual ~HistorySource() = default;
  // `take` comes later, never from inside this call; with null when the messages cannot be read (any more).
  virtual void fetch(const HistoryNeed& need, UniqueFunction<void(std::shared_ptr<const api::SessionView>)> take) = 0;
};

// Says whether the object that asked is still there when the answer comes.
class Liveness {
 public:
  std::weak_ptr<const char> watch() {
    if (!alive_) alive_ = std::make_shared<const char>('\0');
    return alive_;
  }

 private:
  std::shared_ptr<const char> alive_;  // made when it is first needed: most streams never ask
};

}  // namespace braidlog
