// A run's events as frames of the steps contract. Few events make a frame at all: the start, each plan, each action,
// and the end, which makes two (`final` or `error`, then `done`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "dialect/projection.h"

namespace braidlog::steps {

inline constexpr char kPartMark = 's';

// Its state is the number of the last step: `final` has the next one.
class StepsProjection final : public Projection {
 public:
  StepsProjection(RunId run_id, std::size_t wire_text_bytes_max);
  void project(const RunEvent& event, Frames& out) override;

 private:
  struct Visitor;

  std::size_t wire_text_bytes_max_;
  std::string id_line_;  // "id: evt_…_"
  std::uint32_t last_step_ = 0;
};

}  // namespace braidlog::steps
