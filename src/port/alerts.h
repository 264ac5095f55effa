// Where agents leave messages for administrators. Runs on: the io thread of the run; the reply comes on `back`.
#pragma once

#include <cstdint>

#include "api/alert.h"
#include "base/loop.h"
#include "base/result.h"
#include "base/unique_function.h"

namespace braidlog {

class Alerts {
 public:
  virtual ~Alerts() = default;
  // Keeps the alert and gives its ticket. The same run and call again: the same ticket, and nothing more is kept.
  virtual void raise(api::Alert alert, Loop& back, UniqueFunction<void(Result<std::uint64_t>)> reply) = 0;
};

}  // namespace braidlog
