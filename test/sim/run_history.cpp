#include "run_history.h"

#include <algorithm>

#include "event/encoding.h"
#include "event/event_type.h"

namespace braidlog::sim {

namespace {

std::optional<std::uint64_t> token_of(const std::string& args_json) {
  const auto args = parse_json(args_json);
  if (!args || !args->is_object()) return std::nullopt;
  const auto* n = args->get_object().if_contains("n");
  return n && n->is_int64() ? std::optional(static_cast<std::uint64_t>(n->get_int64())) : std::nullopt;
}

}  // namespace

void RunHistory::change_owner(std::uint64_t epoch) {
  if (std::exchange(epoch_, epoch) == epoch) return;
  for (auto& [id, one] : calls_) one.cut = one.cut || (one.started && !one.closed);
}

void RunHistory::take(std::string_view records, std::uint32_t count, const OnEvent& on_event) {
  if (state_.is_begun && !at_work_since_) at_work_since_ = world_.trace.step;
  records_ += records;
  last_names_.clear();
  std::uint32_t taken = 0;
  RecordContext context;  // what is stored together can be read without what was stored before
  while (!records.empty()) {
    const auto event = take_record(records, state_.last.next(), context);
    if (!event) return world_.violate(id_, " has a record that cannot be read: ", event.error().message);
    on_event(*event);
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
  check_order(event);
  check_call(event);
  check_steps(event);
  state_.apply(event);
  if (const auto* e = std::get_if<RunCompleted>(&event.body)) end_position_ = e->message_position;
  if (const auto* e = std::get_if<RunInterrupted>(&event.body)) interrupted_for_ = e->reason;
  if (!ended()) return;
  for (const auto& call : state_.calls) {
    if (!is_closed(call.phase)) world_.violate(id_, " ended with ", call.id, " open");
  }
  if (state_.text_open || state_.reasoning_open) world_.violate(id_, " ended inside a part");
}

// One start, before everything but the request itself; and nothing new is begun by a run that was told to stop.
void RunHistory::check_order(const RunEvent& event) {
  const bool starts = std::holds_alternative<RunStarted>(event.body);
  const bool is_request = std::holds_alternative<RunQueued>(event.body);
  if (!is_request && starts == state_.is_begun) world_.violate(id_, " began twice, or not at all: ", last_names_);
  const bool works =
      std::holds_alternative<ModelStarted>(event.body) || std::holds_alternative<ToolStarted>(event.body) ||
      std::holds_alternative<CodeStarted>(event.body) || std::holds_alternative<TaskSelected>(event.body);
  if (works && (state_.interrupt_reason || was_dropped())) {
    world_.violate(id_, " goes on although it was told to stop: ", last_names_);
  }
}

void RunHistory::check_call(const RunEvent& event) {
  if (const auto* e = std::get_if<ToolCallStarted>(&event.body)) {
    world_.trace.name(e->call_id);
    call(e->call_id).name = e->name;
  }
  if (const auto* e = std::get_if<ToolCallReady>(&event.body)) call(e->call_id).token = token_of(e->args_json);
  if (std::holds_alternative<RunResumed>(event.body)) ++resumed_;
  if (const auto* e = std::get_if<InputRequested>(&event.body)) {
    world_.trace.name(e->input_id);
    if (std::exchange(call(e->call_id).asked, true)) world_.violate(e->call_id, " was asked for twice");
  }
  if (const auto* e = std::get_if<InputGiven>(&event.body)) {
    Call& one = call(e->call_id);
    if (!one.asked || one.verdict || one.closed) world_.violate(e->call_id, " was decided twice, or never asked for");
    one.verdict = e->verdict;
    one.refused_for = e->reason;
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
  auto& [turn, bytes] = told_;
  for (; turn < state_.turns.size(); ++turn, bytes = 0) {
    const std::string& text = state_.turns[turn].text;
    // A turn that continues another takes its text over.
    if (!world_.coded.is_told(text, std::min(bytes, text.size())) && !is_silent(static_cast<std::uint32_t>(turn + 1))) {
      world_.violate(id_, " turn ", turn + 1, " has a gap or says something twice: ", text);
    }
    bytes = text.size();
    if (turn + 1 == state_.turns.size()) break;
  }
}

const ContractStream& RunHistory::stream(const Dialect& contract) const {
  ContractStream& stream = streams_.try_emplace(&contract, world_, contract, id_).first->second;
  stream.read_on(records_, view_);
  return stream;
}

}  // namespace braidlog::sim
