#include "run_history.h"

#include <algorithm>

#include "dialect/event_id.h"
#include "event/encoding.h"
#include "event/event_type.h"
#include "story.h"

namespace braidlog::sim {

namespace {

std::optional<std::uint64_t> token_of(const std::string& args_json) {
  const auto args = parse_json(args_json);
  if (!args || !args->is_object()) return std::nullopt;
  const auto* n = args->get_object().if_contains("n");
  return n && n->is_int64() ? std::optional(static_cast<std::uint64_t>(n->get_int64())) : std::nullopt;
}

}  // namespace

RunHistory::RunHistory(World& world, const Dialect& dialect, RunId id)
    : world_(world), id_(id), projection_(dialect.make_projection(id)) {}

void RunHistory::take(std::string_view records, std::uint32_t count) {
  records_ += records;
  last_names_.clear();
  std::uint32_t taken = 0;
  while (!records.empty()) {
    const auto event = take_record(records, state_.last.next());
    if (!event) return world_.violate(id_, " has a record that cannot be read: ", event.error().message);
    take_event(*event);
    ++taken;
  }
  if (taken != count) world_.violate(id_, " got ", taken, " records and was told ", count);
  check_texts();
}

void RunHistory::take_event(const RunEvent& event) {
  const auto sequence = event.sequence.value;
  last_names_.append(" ").append(name_of(type_of(event.body)));
  if (ended()) return world_.violate(id_, " has an event after its terminal one: ", last_names_);
  if ((sequence == 1) != std::holds_alternative<RunQueued>(event.body)) {
    return world_.violate(id_, " does not begin with run.queued");
  }
  if (sequence > 1 && (event.at < state_.last_at || event.elapsed_ms < state_.elapsed_ms)) {
    world_.violate(id_, " goes back in time at ", sequence);
  }
  check_call(event);
  state_.apply(event);
  const std::size_t first_mark = frames_.marks.size();
  projection_->project(event, frames_);
  check_frames(first_mark, event);
  if (!ended()) return;
  for (const auto& call : state_.calls) {
    if (!is_closed(call.phase)) world_.violate(id_, " ended with ", call.id, " open");
  }
  if (state_.text_open || state_.reasoning_open) world_.violate(id_, " ended inside a part");
}

void RunHistory::check_call(const RunEvent& event) {
  if (const auto* e = std::get_if<ToolCallStarted>(&event.body)) {
    world_.trace.name(e->call_id);
    call(e->call_id).name = e->name;
  }
  if (const auto* e = std::get_if<ToolCallReady>(&event.body)) call(e->call_id).token = token_of(e->args_json);
  if (std::holds_alternative<RunResumed>(event.body)) {
    ++resumed_;
    for (auto& [id, one] : calls_) one.cut = one.cut || (one.started && !one.closed);
  }
  if (const auto* e = std::get_if<InputRequested>(&event.body)) {
    world_.trace.name(e->input_id);
    if (std::exchange(call(e->call_id).asked, true)) world_.violate(e->call_id, " was asked for twice");
  }
  if (const auto* e = std::get_if<InputGiven>(&event.body)) {
    Call& one = call(e->call_id);
    if (!one.asked || one.verdict || one.closed) world_.violate(e->call_id, " was decided twice, or never asked for");
    one.verdict = e->verdict;
    one.closed = e->verdict == Verdict::kRejected;
    if (e->apply_to_future && !one.closed) tools_allowed_.insert(one.name);
  }
  if (const auto* e = std::get_if<ToolStarted>(&event.body)) {
    Call& one = call(e->call_id);
    if (one.started || one.closed) world_.violate(e->call_id, " was started twice, or after its end");
    one.started = true;
    one.permission = e->permission;
    const bool by_person = e->permission == Permission::kApproval;
    if (by_person != (one.verdict == Verdict::kApproved)) world_.violate(e->call_id, ": the log hides who consented");
  }
  if (const auto* e = std::get_if<ToolFinished>(&event.body)) {
    Call& one = call(e->call_id);
    if (std::exchange(one.closed, true)) world_.violate(e->call_id, " was closed twice");
    const ToolSpec* spec = find_spec(specs_, e->name);
    const bool may_repeat = spec && (!spec->writes || spec->idempotent);
    if (one.cut && !may_repeat && e->status != ToolStatus::kOutcomeUnknown) {
      world_.violate(e->call_id, " was cut by a restart, and the log claims to know its outcome");
    }
  }
}

// A turn tells the story from its beginning, whatever was cut in between.
void RunHistory::check_texts() {
  if (state_.turns.empty() || is_story(state_.turns.back().text)) return;
  world_.violate(id_, " turn ", state_.turns.size(), " has a gap or says something twice: ", state_.turns.back().text);
}

void RunHistory::check_frames(std::size_t first_mark, const RunEvent& event) {
  std::string id_line = "\nid: ";
  append_event_id(id_line, {id_, event.sequence, std::nullopt});
  for (std::size_t i = first_mark; i < frames_.marks.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : frames_.marks[i - 1].end;
    const std::string_view frame = std::string_view(frames_.bytes).substr(begin, frames_.marks[i].end - begin);
    if (!frame.starts_with("event: ") || !frame.ends_with("}}\n\n") || frame.find(id_line) == frame.npos) {
      world_.violate(id_, " has a frame without the id of its event: ", frame);
    }
  }
}

RunHistory::Place RunHistory::last_whole_frame(std::size_t received) const {
  const auto after = std::ranges::upper_bound(frames_.marks, received, {}, &Frames::Mark::end);
  if (after == frames_.marks.begin()) return {};
  const auto& mark = *std::prev(after);
  Place place{mark.end, {}};
  append_event_id(place.event_id, {id_, mark.position.sequence, std::nullopt});
  return place;
}

std::size_t RunHistory::offset_after(Sequence sequence) const {
  const auto after = std::ranges::upper_bound(frames_.marks, sequence, {},
                                              [](const Frames::Mark& mark) { return mark.position.sequence; });
  return after == frames_.marks.begin() ? 0 : std::prev(after)->end;
}

}  // namespace braidlog::sim
