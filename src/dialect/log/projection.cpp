#include "dialect/log/projection.h"

#include "dialect/event_id.h"
#include "event/encoding.h"

namespace braidlog::log {

LogProjection::LogProjection(RunId run_id) : id_line_("id: " + event_id_prefix(run_id)) {}

void LogProjection::project(const RunEvent& event, Frames& out) {
  out.bytes.append(id_line_);
  append_event_sequence(out.bytes, event.sequence);
  out.bytes.append("\ndata: ").append(event_to_json(event)).append("\n\n");
  out.mark({event.sequence, 0});
}

}  // namespace braidlog::log
