// A run's events as frames of the runs contract. An event makes one frame or none, so a frame's id is the id
// of its event, without a part.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dialect/projection.h"

namespace braidlog::runs {

// Its state is the approval of each call that was approved and has not finished yet.
class RunsProjection final : public Projection {
 public:
  RunsProjection(RunId run_id, std::size_t wire_text_bytes_max);
  void project(const RunEvent& event, Frames& out) override;

 private:
  struct Visitor;
  void know_session(SessionId session_id);

  std::size_t wire_text_bytes_max_;
  std::string run_text_;          // "run_…"
  std::string id_;                // "evt_…_" and the digits of the event at hand
  std::size_t id_prefix_length_;  // of "evt_…_"
  std::string middle_;            // the envelope between event_id and type: the same in every frame
  std::unordered_map<ToolCallId, ApprovalId> approvals_;
};

}  // namespace braidlog::runs
