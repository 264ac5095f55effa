// The durable form of events.
//
//   record   := length type at elapsed field*       length counts the bytes after itself
//   length, at, elapsed := varint                    unsigned LEB128; `at` is wall milliseconds
//   type     := one byte, event/event_type.h
//   field    := in the order of the event's fields(): bool and enum one byte; integers varint (signed ones
//               zigzag); strings varint length and bytes; ids 16 bytes; optional one byte 0/1 and the value;
//               lists varint count and the values; structs their fields
//
// The sequence is not in the record: records of a run stand in order, and whoever stores them stores the first
// sequence. Growth: a record that ends early leaves the remaining fields at their defaults (written by an older
// version); bytes left over after the last known field are skipped (written by a newer one).
//
// The JSON form, {"sequence":1,"at":…,"elapsed_ms":…,"type":"text.delta",…fields}, is for people, tests and tools.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "event/run_event.h"

namespace braidlog {

// Appends one record.
void append_record(std::string& out, const RunEvent& event);

// Reads the record at the front of `bytes` and removes it. kStorage when the bytes are no record; then `bytes` is
// unchanged. The event's sequence is what the caller says.
Result<RunEvent> take_record(std::string_view& bytes, Sequence sequence);
// The same into an event that is there already: an event is large, and a cursor reads many. False: no record, and
// `into` holds nothing of use.
[[nodiscard]] bool take_record(std::string_view& bytes, Sequence sequence, RunEvent& into);

// Length in bytes of the record at the front, or kStorage.
Result<std::size_t> record_length(std::string_view bytes);
// Whether the record at the front, which is whole, is a terminal event. Its fields are not looked at.
bool is_terminal_record(std::string_view bytes);

std::string event_to_json(const RunEvent& event);
Result<RunEvent> event_from_json(const json::value& value);

}  // namespace braidlog
