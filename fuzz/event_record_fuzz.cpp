// Any bytes as records of a log: each is read or refused, and what is read is written and read again as the same
// event, in both forms.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "event/encoding.h"
#include "event/run_state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braidlog;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  RunState state;
  RecordContext read, written, read_again;
  for (Sequence at{1}; !rest.empty(); at = at.next()) {
    const std::string_view before = rest;
    const auto event = take_record(rest, at, read);
    if (!event) {
      BRAIDLOG_CHECK(rest.data() == before.data() && rest.size() == before.size());
      return 0;
    }
    BRAIDLOG_CHECK(rest.size() < before.size());
    std::string again;
    append_record(again, *event, written);
    BRAIDLOG_CHECK(record_length(again).value_or(0) == again.size());
    std::string_view second = again;
    const auto same = take_record(second, at, read_again);
    BRAIDLOG_CHECK(same && *same == *event && second.empty());
    state.apply(*event);
    (void)state.status();
    (void)event_to_json(*event);
  }
  return 0;
}
