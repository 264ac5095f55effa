// The id of a frame: which event it came from, and which of that event's frames it is. Spelled the same way in every
// contract, so that a stream can be resumed in another contract than it was begun in.
//
//   id := "evt_" run-ULID "_" sequence [ "." part ]     sequence: 10 digits, so string order is event order
//
// Without a part the id names the whole event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "event/sequence.h"

namespace braidlog {

struct EventId {
  RunId run_id;
  Sequence sequence;
  std::optional<std::uint32_t> part;
  bool operator==(const EventId&) const = default;
};

void append_event_id(std::string& out, const EventId& id);
// None for anything that append_event_id does not write (a ULID in lower case is read too).
std::optional<EventId> parse_event_id(std::string_view text);

}  // namespace braidlog
