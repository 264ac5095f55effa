#include "server/frame_reader.h"

#include <limits>
#include <utility>

namespace braidlog {

namespace {

constexpr std::size_t kPieceBytes = 32 * 1024;
constexpr std::size_t kEventsPerTask = 4096;  // so that a long run does not hold its thread up

// Takes the frames that the client has out again. Only the event it was cut at can have some of each.
void skip_seen(Frames& frames, std::size_t first_mark, std::size_t first_byte, FramePosition seen) {
  std::size_t keep_mark = first_mark, keep_byte = first_byte;
  while (keep_mark < frames.marks.size() && frames.marks[keep_mark].position <= seen) {
    keep_byte = frames.marks[keep_mark++].end;
  }
  const std::size_t dropped = keep_byte - first_byte;
  frames.bytes.erase(first_byte, dropped);
  frames.marks.erase(frames.marks.begin() + static_cast<std::ptrdiff_t>(first_mark),
                     frames.marks.begin() + static_cast<std::ptrdiff_t>(keep_mark));
  for (std::size_t i = first_mark; i < frames.marks.size(); ++i) frames.marks[i].end -= dropped;
}

}  // namespace

std::optional<FramePosition> start_position(const std::optional<EventId>& after, const RunRecords& records,
                                            const Dialect& dialect) {
  if (!after || after->run_id != records.id() || after->sequence > records.committed()) return std::nullopt;
  const bool is_own = after->part && after->part->mark == dialect.part_mark();
  return FramePosition{after->sequence, is_own ? after->part->index : std::numeric_limits<std::uint32_t>::max()};
}

FrameReader::FrameReader(std::shared_ptr<RunRecords> records, const Dialect& dialect)
    : cursor_(records), projection_(dialect.make_projection(records->id())) {}

FrameReader::Read FrameReader::read_piece(Frames& into, std::optional<FramePosition>& seen) {
  into.clear();
  std::size_t events = 0;
  Read read = Read::kPiece;
  while (into.bytes.size() < kPieceBytes) {
    if (events++ == kEventsPerTask) {
      read = Read::kEnough;
      break;
    }
    const RunEvent* event = held_ != nullptr ? std::exchange(held_, nullptr) : cursor_.next();
    if (event == nullptr) {
      read = Read::kAll;
      break;
    }
    if (!history_is_here_ && projection_->needs_history(*event)) {
      held_ = event;
      read = Read::kNeedsHistory;
      break;
    }
    history_is_here_ = false;
    const std::size_t first_mark = into.marks.size(), first_byte = into.bytes.size();
    projection_->project(*event, into);
    if (seen && event->sequence <= seen->sequence) skip_seen(into, first_mark, first_byte, *seen);
  }
  if (!into.empty()) seen = into.marks.back().position;
  return read;
}

void FrameReader::give(std::shared_ptr<const api::SessionView> history) {
  projection_->take_history(std::move(history));
  history_is_here_ = true;
}

}  // namespace braidlog
