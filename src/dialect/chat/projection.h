// A run's events as frames of the chat contract. An event makes one frame or none, so a frame's id is the id of its
// event, without a part.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dialect/frame_head.h"
#include "dialect/projection.h"

namespace braidlog::chat {

// Its state is the calls that were shown to begin and not yet to end: a call that is not among them shows nothing, so
// what begins ends once, and nothing else ends.
class ChatProjection final : public Projection {
 public:
  ChatProjection(RunId run_id, std::size_t wire_text_bytes_max);
  void project(const RunEvent& event, Frames& out) override;

 private:
  struct Visitor;
  void know_message(MessageId id);
  enum class Arguments { kNone, kSome };  // what was sent of them

  std::size_t wire_text_bytes_max_;
  RunId run_id_;
  FrameHead head_;          // up to the fields
  std::string message_id_;  // "message_id":"…"
  std::string delta_end_;   // what follows the text of a delta
  std::unordered_map<ToolCallId, Arguments> open_calls_;
};

}  // namespace braidlog::chat
