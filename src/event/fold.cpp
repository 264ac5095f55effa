#include "event/fold.h"

#include "event/encoding.h"

namespace braidlog {

Result<RunState> fold_records(std::string_view records) {
  RunState state;
  RecordContext context;
  while (!records.empty()) {
    const auto event = take_record(records, state.last.next(), context);
    if (!event) return fail(event.error());
    state.apply(*event);
  }
  return state;
}

}  // namespace braidlog
