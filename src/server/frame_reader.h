// Reads a run's log as the frames of one contract, piece by piece, from the first event on: the frames that a client
// has already are made and left out, because what a projection knows comes from every event. Runs on: the io thread of
// the run.
#pragma once

#include <memory>
#include <optional>

#include "dialect/dialect.h"
#include "runlog/run_records.h"

namespace braidlog {

// Where a client goes on that has everything up to `after`. An id without a part names the whole event, and so does one
// with another contract's part. One of another run or from the future was never sent by us: it counts as none.
std::optional<FramePosition> start_position(const std::optional<EventId>& after, const RunRecords& records,
                                            const Dialect& dialect);

class FrameReader {
 public:
  FrameReader(std::shared_ptr<RunRecords> records, const Dialect& dialect);
  FrameReader(const FrameReader&) = delete;  // it points into itself

  // Reads on until there is a piece worth sending, the task has done enough, nothing more is committed, or an event
  // needs messages that have to be fetched first. `into` is cleared and holds the frames after `seen`; `seen` is then
  // the last of them.
  enum class Read { kPiece, kEnough, kAll, kNeedsHistory };
  Read read_piece(Frames& into, std::optional<FramePosition>& seen);

  // After kNeedsHistory: what is to be fetched, and then given before the next read.
  HistoryNeed need() const { return *projection_->needs_history(*held_); }
  void give(std::shared_ptr<const api::SessionView> history);

  bool broken() const { return cursor_.broken(); }
  // Every frame of the run was made, and nothing will follow.
  bool at_end() const { return cursor_.at_end() && held_ == nullptr; }

  // What read the log so far, for who goes on with it. After kAll, and then nothing else is called.
  Cursor take_cursor() { return std::move(cursor_); }
  std::unique_ptr<Projection> take_projection() { return std::move(projection_); }

 private:
  Cursor cursor_;
  std::unique_ptr<Projection> projection_;
  const RunEvent* held_ = nullptr;  // the cursor's last event, which waits for its history
  bool history_is_here_ = false;
};

}  // namespace braidlog
