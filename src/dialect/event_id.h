// The id of a frame: which event it came from, and which of that event's frames it is. Spelled the same way
// in every contract, so that a stream can be resumed in another contract than it was begun in.
//
//   id := "evt_" run-ULID "_" sequence [ "." mark part ]     sequence: 10 digits, so string order is event order
//
// Without a part the id names the whole event. The mark is a letter that says whose part it is: contracts cut an event
// into different frames, so a part means something only to the contract that wrote it; to others it is the whole event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "event/sequence.h"

namespace braidlog {

struct FramePart {
  char mark = 0;  // 'a' to 'z'
  std::uint32_t index = 0;
  bool operator==(const FramePart&) const = default;
};

struct EventId {
  RunId run_id;
  Sequence sequence;
  std::optional<FramePart> part;
  bool operator==(const EventId&) const = default;
};

// The longest spelling: what is longer is refused without a look at it.
inline constexpr std::size_t kEventIdBytesMax = 4 + 26 + 1 + 10 + 1 + 1 + 10;

void append_event_id(std::string& out, const EventId& id);
// The id in two pieces, for writers of many frames of one run: "evt_…_" once, then the ten digits per event.
std::string event_id_prefix(RunId run_id);
void append_event_sequence(std::string& out, Sequence sequence);
// The same over digits that stand at `at` already.
void write_event_sequence(std::string& text, std::size_t at, Sequence sequence);

// None for anything that append_event_id does not write (a ULID in lower case is read too). Events count from
// 1, so sequence 0 is no id.
std::optional<EventId> parse_event_id(std::string_view text);

}  // namespace braidlog
