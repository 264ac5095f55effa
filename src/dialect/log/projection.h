// The log itself as frames: one frame per event, none left out, each event as event_to_json() writes it.
#pragma once

#include <string>

#include "dialect/projection.h"

namespace braidlog::log {

class LogProjection final : public Projection {
 public:
  explicit LogProjection(RunId run_id);
  void project(const RunEvent& event, Frames& out) override;

 private:
  std::string id_line_;  // "id: evt_…_"
};

}  // namespace braidlog::log
