#include "dialect/all/projection.h"

#include <utility>

#include "base/json.h"
#include "dialect/event_id.h"

namespace braidlog::all {

AllProjection::AllProjection(RunId run_id, std::vector<Contract> contracts)
    : contracts_(std::move(contracts)), id_line_("id: " + event_id_prefix(run_id)) {}

std::optional<HistoryNeed> AllProjection::needs_history(const RunEvent& event) const {
  std::optional<HistoryNeed> most;
  for (const auto& contract : contracts_) {
    const auto need = contract.projection->needs_history(event);
    if (need && (!most || need->message_count > most->message_count)) most = need;
  }
  return most;
}

void AllProjection::project(const RunEvent& event, Frames& out) {
  std::uint32_t part = 0;
  for (const auto& contract : contracts_) {
    if (history_ && contract.projection->needs_history(event)) contract.projection->take_history(history_);
    scratch_.clear();
    contract.projection->project(event, scratch_);
    std::size_t begin = 0;
    for (const auto& mark : scratch_.marks) {
      out.bytes.append(id_line_);
      append_event_sequence(out.bytes, event.sequence);
      out.bytes.append(".").append(1, kPartMark).append(std::to_string(part));
      out.bytes.append("\ndata: {\"contract\":\"").append(contract.name).append("\",\"frame\":");
      append_json_string(out.bytes, std::string_view(scratch_.bytes).substr(begin, mark.end - begin));
      out.bytes.append("}\n\n");
      out.mark({event.sequence, part++});
      begin = mark.end;
    }
  }
  history_.reset();
}

}  // namespace braidlog::all
