// What must hold for the frames of every dialect and every log, so that a client can be cut off after any frame and
// come back: each frame names its place in its id, a run's frames are the same whenever they are made, and what follows
// a frame is exactly what the client does not have.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/testing/golden.h"
#include "wire/sse.h"

namespace braidlog::testing {

// What the server makes of an id, as dialect.h and event_id.h say.
inline FramePosition position_of(const Dialect& dialect, const EventId& id) {
  const bool own = id.part && id.part->mark == dialect.part_mark();
  return {id.sequence, own ? id.part->index : std::numeric_limits<std::uint32_t>::max()};
}

inline std::vector<std::string_view> split(const Frames& frames) {
  std::vector<std::string_view> each;
  std::size_t begin = 0;
  for (const auto& mark : frames.marks) {
    each.push_back(std::string_view(frames.bytes).substr(begin, mark.end - begin));
    begin = mark.end;
  }
  EXPECT_EQ(begin, frames.bytes.size()) << "bytes that belong to no frame";
  return each;
}

// One event of the standard, whatever line ends a client believes in, and its id is its place.
inline void check_frame(const Dialect& dialect, RunId run_id, std::string_view frame, FramePosition position) {
  for (const char* line_end : {"\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
    EXPECT_EQ(frame.find(line_end), std::string_view::npos) << frame;
  }
  std::vector<SseEvent> events;
  SseReader reader(frame.size());
  EXPECT_TRUE(reader.feed(frame, [&](SseEvent&& event) { events.push_back(std::move(event)); }));
  ASSERT_EQ(events.size(), 1u) << frame;
  EXPECT_TRUE(parse_json(events[0].data)) << frame;
  const auto id = parse_event_id(events[0].last_id);
  ASSERT_TRUE(id) << frame;
  EXPECT_EQ(id->run_id, run_id);
  EXPECT_EQ(id->sequence, position.sequence);
  if (id->part) EXPECT_EQ(position_of(dialect, *id), position) << frame;
}

inline void check_positions(const Dialect& dialect, const std::vector<RunEvent>& events) {
  const auto make = [&](std::size_t count) {
    const auto projection = dialect.make_projection(kGoldenRun);
    return project_all(*projection, {events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count)});
  };
  const Frames whole = make(events.size());
  const auto frames = split(whole);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const FramePosition position = whole.marks[i].position;
    if (i > 0) EXPECT_LT(whole.marks[i - 1].position, position);
    check_frame(dialect, kGoldenRun, frames[i], position);
    // The client has this frame: everything later is new to it, nothing earlier is.
    const auto id_line = frames[i].substr(frames[i].find("id: ") + 4);
    const auto id = parse_event_id(id_line.substr(0, id_line.find('\n')));
    ASSERT_TRUE(id);
    const FramePosition seen = position_of(dialect, *id);
    for (std::size_t j = 0; j < frames.size(); ++j) EXPECT_EQ(whole.marks[j].position > seen, j > i) << frames[i];
  }
  for (std::size_t count = 0; count < events.size(); ++count) {
    const Frames begin = make(count);
    EXPECT_EQ(whole.bytes.substr(0, begin.bytes.size()), begin.bytes) << "after " << count << " events";
    for (const auto& mark : begin.marks) EXPECT_LE(mark.position.sequence, events[count].sequence);
    if (begin.marks.size() < whole.marks.size()) {
      EXPECT_GE(whole.marks[begin.marks.size()].position.sequence, events[count].sequence);
    }
  }
}

}  // namespace braidlog::testing
