// The durable form of events.
//
//   record   := length type at elapsed field*       length counts the bytes after itself
//             | length 0 later text                  a further word: a text.delta of the same turn and part as the
//                                                    record before it, `later` milliseconds after it by both clocks
//   length, at, elapsed, later := varint             unsigned LEB128; `at` is wall milliseconds
//   type     := one byte, event/event_type.h
//   field    := in the order of the event's fields(): bool and enum one byte; integers varint (signed ones
//               zigzag); strings varint length and bytes; ids 16 bytes; optional one byte 0/1 and the value;
//               lists varint count and the values; structs their fields
//
// The sequence is not in the record: records of a run stand in order, and whoever stores them stores the first
// sequence. The first of the records that are stored together is never a further word: they can be read without what
// was stored before.
//
// Growth: a record that ends early leaves the remaining fields at their defaults (written by an older version); bytes
// left over after the last known field are skipped (written by a newer one). A further word never grows.
//
// The JSON form, {"sequence":1,"at":…,"elapsed_ms":…,"type":"text.delta",…fields}, is for people, tests and tools.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "event/run_event.h"

namespace braidlog {

// What a further word leaves to the record before it. Whoever writes or reads records one after the other keeps one; a
// new one stands for the start.
struct RecordContext {
  bool is_text = false;  // the record before is a text.delta, and this is of it:
  std::uint32_t turn = 0, part = 0;
  std::uint32_t elapsed_ms = 0;
  WallTime at{};
};

// Appends one record, behind the one that `context` is about.
void append_record(std::string& out, const RunEvent& event, RecordContext& context);
// One that can be read on its own.
void append_record(std::string& out, const RunEvent& event);

// Reads the record at the front of `bytes` and removes it. kStorage when the bytes are no record; then `bytes` is
// unchanged. The event's sequence is what the caller says.
Result<RunEvent> take_record(std::string_view& bytes, Sequence sequence, RecordContext& context);
// The same into an event that is there already: an event is large, and a cursor reads many. False: no record, and
// `into` holds nothing of use.
[[nodiscard]] bool take_record(std::string_view& bytes, Sequence sequence, RecordContext& context, RunEvent& into);

// Length in bytes of the record at the front, or kStorage.
Result<std::size_t> record_length(std::string_view bytes);
// Whether the record at the front, which is whole, is a terminal event. Its fields are not looked at.
bool is_terminal_record(std::string_view bytes);

std::string event_to_json(const RunEvent& event);
Result<RunEvent> event_from_json(const json::value& value);

}  // namespace braidlog
