#include "contract_stream.h"

#include <algorithm>
#include <limits>

#include "dialect/contracts.h"
#include "event/encoding.h"

namespace braidlog::sim {

namespace {

constexpr std::string_view kIdLine = "id: ";

// What a client takes for the frame's id.
std::string_view id_of(std::string_view frame) {
  while (!frame.empty()) {
    const std::string_view line = frame.substr(0, frame.find('\n'));
    if (line.starts_with(kIdLine)) return line.substr(kIdLine.size());
    frame.remove_prefix(std::min(frame.size(), line.size() + 1));
  }
  return {};
}

}  // namespace

ContractStream::ContractStream(World& world, const Dialect& dialect, RunId id)
    : world_(world), dialect_(dialect), id_(id), projection_(dialect.make_projection(id)), order_(dialect.name()) {}

void ContractStream::read_on(std::string_view records, const std::shared_ptr<const api::SessionView>& view) {
  records.remove_prefix(read_);
  while (!records.empty()) {
    const std::size_t before = records.size();
    const auto event = take_record(records, last_.next(), context_);
    if (!event) return;  // RunHistory says so
    read_ += before - records.size();
    last_ = event->sequence;
    take(*event, view);
  }
}

void ContractStream::take(const RunEvent& event, const std::shared_ptr<const api::SessionView>& view) {
  if (const auto need = projection_->needs_history(event)) {
    if (!view || view->messages.size() != need->message_count) {
      return world_.violate(id_, " wants ", need->message_count, " messages of its session in ", dialect_.name(),
                            ", which had others when it ended");
    }
    projection_->take_history(view);
  }
  const std::size_t first = frames_.marks.size();
  projection_->project(event, frames_);
  order_.on_event(event);
  for (std::size_t i = first; i < frames_.marks.size(); ++i) {
    check_frame(i, event);
    if (!order_.take(frame(i))) world_.violate(id_, " has a frame out of order in ", dialect_.name(), ": ", frame(i));
  }
  if (is_terminal(event.body) && !order_.is_over()) world_.violate(id_, " is over, and not so in ", dialect_.name());
}

// The id of a frame leads a client to the frame behind it: an id without a part must be of an event's last frame.
void ContractStream::check_frame(std::size_t index, const RunEvent& event) {
  const std::string_view bytes = frame(index);
  const FramePosition position = frames_.marks[index].position;
  const bool is_last = index + 1 == frames_.marks.size();
  if (dialect_.name() == kTasksContract) {  // nobody comes back there, so its frames have no ids
    if (index > 0 && !(frames_.marks[index - 1].position < position))
      world_.violate(id_, " has two frames at one place");
    return;
  }
  const auto id = parse_event_id(id_of(bytes));
  bool right = id && id->run_id == id_ && id->sequence == event.sequence && position.sequence == event.sequence;
  if (right && id->part) right = id->part->mark == dialect_.part_mark() && id->part->index == position.part;
  if (right && !id->part) right = is_last;
  if (right && index > 0) right = frames_.marks[index - 1].position < position;
  if (!right || !bytes.ends_with("}\n\n")) {
    world_.violate(id_, " has a frame in ", dialect_.name(), " without the id of its place: ", bytes);
  }
}

std::string_view ContractStream::frame(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : frames_.marks[index - 1].end;
  return std::string_view(frames_.bytes).substr(begin, frames_.marks[index].end - begin);
}

std::size_t ContractStream::whole_frames(std::size_t received) const {
  const auto after = std::ranges::upper_bound(frames_.marks, received, {}, &Frames::Mark::end);
  return static_cast<std::size_t>(after - frames_.marks.begin());
}

ContractStream::Place ContractStream::last_whole_frame(std::size_t received) const {
  const std::size_t count = whole_frames(received);
  if (count == 0) return {};
  return {frames_.marks[count - 1].end, std::string(id_of(frame(count - 1)))};
}

Sequence ContractStream::last_event(std::size_t received) const {
  const std::size_t count = whole_frames(received);
  return count == 0 ? Sequence{} : frames_.marks[count - 1].position.sequence;
}

std::size_t ContractStream::offset_after(const EventId& id) const {
  const bool is_own = id.part && id.part->mark == dialect_.part_mark();
  const FramePosition seen{id.sequence, is_own ? id.part->index : std::numeric_limits<std::uint32_t>::max()};
  const auto after = std::ranges::upper_bound(frames_.marks, seen, {}, &Frames::Mark::position);
  return after == frames_.marks.begin() ? 0 : std::prev(after)->end;
}

}  // namespace braidlog::sim
