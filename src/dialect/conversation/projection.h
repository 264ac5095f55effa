// A run's events as frames of the conversation contract. Most events make one frame or none, and the frame's id is then
// the id of its event. Three make two: the end of a run (`conversation`, `done`), and a call that ended without having
// started, which is shown as `tool_start` and at once `tool_error`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dialect/frame_head.h"
#include "dialect/projection.h"

namespace braidlog::conversation {

inline constexpr char kPartMark = 'c';

// Its state is the calls that are ready and not over: what tool_start will show of them, and when they began.
class ConversationProjection final : public Projection {
 public:
  ConversationProjection(RunId run_id, std::size_t wire_text_bytes_max);
  std::optional<HistoryNeed> needs_history(const RunEvent& event) const override;
  void take_history(std::shared_ptr<const api::SessionView> history) override { history_ = std::move(history); }
  void project(const RunEvent& event, Frames& out) override;

 private:
  struct Visitor;
  // Whether the conversation is what this run has said, and no more.
  bool begins_with(const RunCompleted& end) const;
  struct OpenCall {
    std::string name;
    std::string safe_args;                         // JSON, with secrets redacted
    std::optional<std::uint32_t> started_elapsed;  // when tool_start was sent
  };

  std::size_t wire_text_bytes_max_;
  RunId run_id_;
  FrameHead head_;  // up to the fields, of an event with one frame
  SessionId session_id_;
  std::unordered_map<ToolCallId, OpenCall> calls_;
  std::shared_ptr<const api::SessionView> history_;
  // Of a conversation that begins with this run: what the user said, and the id of the answer. Nothing else is in it,
  // so its history need not be fetched.
  std::optional<api::Message> first_message_;
  MessageId answer_id_;
};

}  // namespace braidlog::conversation
