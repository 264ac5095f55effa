// What a contract makes of a run's events. A projection is pure: no clock, no socket, no store; the same
// events give the same bytes, always. One object follows one run from its first event on; its state is
// bounded by the open tool calls, never by the length of the run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/session.h"
#include "base/release_memory.h"
#include "event/run_event.h"

namespace braidlog {

// Where a frame stands in its contract's stream: after which event, and which of that event's frames it is.
struct FramePosition {
  Sequence sequence;
  std::uint32_t part = 0;
  auto operator<=>(const FramePosition&) const = default;
};

// Frames as bytes, one after the other, each with its position.
struct Frames {
  struct Mark {
    FramePosition position;
    std::size_t end = 0;  // where the frame ends in `bytes`
  };
  std::string bytes;
  std::vector<Mark> marks;

  // Call after appending one frame's bytes.
  void mark(FramePosition position) { marks.push_back({position, bytes.size()}); }
  bool empty() const { return marks.empty(); }
  // Keeps its memory for the next frames, but not what one huge frame took.
  void clear() {
    constexpr std::size_t kKeptBytes = 256 * 1024;
    if (bytes.capacity() > kKeptBytes) release_memory(bytes);
    bytes.clear();
    marks.clear();
  }
};

// The first `message_count` messages of a session.
struct HistoryNeed {
  SessionId session_id;
  std::uint64_t message_count = 0;
};

class Projection {
 public:
  virtual ~Projection() = default;
  // What the frames of `event` show of the session's past; none for most events. Only a terminal event may need it.
  virtual std::optional<HistoryNeed> needs_history(const RunEvent&) const { return std::nullopt; }
  // Comes right before project() of an event that needs it.
  virtual void take_history(std::shared_ptr<const api::SessionView>) {}
  // Appends the frames of `event`; most events make none or one. Events come in order, from the first on.
  virtual void project(const RunEvent& event, Frames& out) = 0;
};

}  // namespace braidlog
