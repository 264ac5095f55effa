// A run's events as frames of the runs contract. An event makes one frame or none, so a frame's id is the id
// of its event, without a part.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dialect/frame_head.h"
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
  void make_head(std::string_view type, WallTime at, std::string_view first);

  std::size_t wire_text_bytes_max_;
  RunId run_id_;
  SessionId session_id_;
  FrameHead head_;    // up to the payload
  WallTime head_at_;  // the time in it
  std::unordered_map<ToolCallId, ApprovalId> approvals_;
};

}  // namespace braidlog::runs
