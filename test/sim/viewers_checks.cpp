// What viewers are sent and told, held against the log.
#include <algorithm>

#include "dialect/contracts.h"
#include "viewers.h"

namespace braidlog::sim {

namespace {

std::string in_one_line(std::string_view frames) {
  std::string text(frames.substr(0, 400));
  std::ranges::replace(text, '\n', '|');
  return text;
}

// The run that the first frame names.
std::optional<RunId> run_named_in(std::string_view frames) {
  constexpr std::string_view kIdLine = "id: ";
  const auto at = frames.find(kIdLine);
  if (at == frames.npos) return std::nullopt;
  frames.remove_prefix(at + kIdLine.size());
  const auto id = parse_event_id(frames.substr(0, frames.find('\n')));
  return id ? std::optional(id->run_id) : std::nullopt;
}

}  // namespace

// ---- what they are sent ----

void Viewers::learn_run(Watch& watch, std::string_view bytes) {
  const bool has_ids = watch.contract->name() != kTasksContract;
  if (has_ids && bytes.empty()) return;
  const Checker::Said& said = watch.opening->said;
  const auto run_id = has_ids ? run_named_in(bytes) : checker_.run_of_key(*said.session, said.key);
  if (!has_ids && !run_id && !world_.tables.sessions.contains(*said.session)) return watch.exchange->leave();
  if (!run_id || !checker_.history(*run_id)) {
    return world_.violate("v", watch.number, " is shown a run that is not in the log: ", in_one_line(bytes));
  }
  watch.run_id = run_id;
  checker_.told_run(*run_id, watch.opening->said);
  world_.know(run_of(watch).state().request.session_id);
}

void Viewers::on_sent(Watch& watch, std::string_view bytes) {
  if (!watch.run_id) learn_run(watch, bytes);
  if (!watch.run_id) return;
  checker_.attendance().sees(*watch.exchange, run_of(watch));
  const ContractStream& stream = stream_of(watch);
  const std::size_t at = watch.at();
  watch.sent += bytes.size();
  Sequence& shown = shown_[*watch.run_id];
  shown = std::max(shown, stream.last_event(watch.at()));
  if (watch.at() > stream.bytes().size()) {
    return world_.violate("v", watch.number, " is shown what is not in the log: ", in_one_line(bytes));
  }
  if (std::string_view(stream.bytes()).substr(at, bytes.size()) != bytes) {
    world_.violate("v", watch.number, " is shown other bytes than the log has at ", at, ": ", in_one_line(bytes));
  }
}

void Viewers::on_finished(Watch& watch) {
  if (!watch.run_id || !run_of(watch).ended() || watch.at() != stream_of(watch).bytes().size()) {
    world_.violate("the stream of v", watch.number, " looks complete, and is not");
  }
}

bool Viewers::is_excused(const Watch& watch) const {
  return world_.troubles != watch.troubles || world_.is_disturbed();
}

bool Viewers::is_deleted(const Watch& watch) const {
  return watch.run_id && !world_.tables.sessions.contains(run_of(watch).state().request.session_id);
}

void Viewers::on_cut(Watch& watch) {
  world_.trace.say("viewer", "v", watch.number, " is cut off");
  if (!is_excused(watch) && !is_deleted(watch)) world_.violate("v", watch.number, " was cut off for nothing");
}

// ---- what they are told instead ----

void Viewers::on_responded(Watch& watch, const HttpResponse& response) {
  world_.trace.say("viewer", "v", watch.number, " is told ", response.status, " ", response.body);
  if (!watch.run_id) return on_refused(watch, response);
  const bool deleted = is_deleted(watch);
  if (response.status == 204) {
    watch.has_all = !watch.may_get_nothing && !deleted;
    const bool nothing_left = run_of(watch).ended() && watch.start == stream_of(watch).bytes().size();
    if (watch.has_all && !nothing_left) {
      world_.violate("v", watch.number, " is told that it has everything, and it has not");
    }
  } else if (!(deleted && (response.status == 404 || response.status == 503)) &&
             !(response.status == 503 && is_excused(watch))) {
    world_.violate("v", watch.number, " cannot watch: ", response.status, " ", response.body);
  }
  if (!watch.has_all) watch.exchange->leave();
}

// The request that would have begun a run was not taken: for the state of things, or because the server could not.
void Viewers::on_refused(Watch& watch, const HttpResponse& response) {
  const int status = response.status;
  const bool is_plain = status == 404 || status == 409 || status == 429;
  if (!is_plain && !(status == 503 && is_excused(watch))) {
    world_.violate("v", watch.number, " was refused: ", status, " ", response.body);
  }
  watch.exchange->leave();
}

// ---- when nothing moves ----

void Viewers::server_gone(unsigned generation) {
  for (auto& watch : watches_) {
    if (watch.exchange && watch.generation == generation) watch.exchange->server_gone();
  }
}

void Viewers::check_caught_up(const SimServer& server) {
  if (world_.two_owners) return;  // the server that lost the run cannot know what the other wrote
  for (const auto& watch : watches_) {
    if (watch.is_watching() && watch.generation == server.generation()) check_caught_up(watch);
  }
}

void Viewers::check_caught_up(const Watch& watch) {
  if (!watch.exchange->is_answered()) return world_.violate("v", watch.number, " was never answered");
  if (watch.exchange->unsent_bytes() > 0) return;
  if (!watch.run_id) {
    // It waits for its turn, so nothing can be said of its run yet.
    const auto waits = [&](const RunHistory* run) { return !run->state().is_begun; };
    if (!std::ranges::any_of(checker_.saying(watch.opening->said.text), waits)) {
      world_.violate("v", watch.number, " hears nothing, and no run of its waits");
    }
  } else if (watch.at() != stream_of(watch).bytes().size()) {
    world_.violate("v", watch.number, " was left behind at ", watch.at(), " of ", stream_of(watch).bytes().size());
  } else if (run_of(watch).ended() && !watch.exchange->is_complete()) {
    world_.violate("v", watch.number, " was not told that the run is over");
  }
}

void Viewers::read_on(SimServer& server) {
  for (auto& watch : watches_) {
    if (watch.is_done() || (!watch.run_id && !watch.is_watching())) continue;
    if (!watch.is_watching()) connect(watch, server, From::kLastSeen);
    watch.exchange->read(SimExchange::kAll);
  }
}

void Viewers::watch_every_run(SimServer& server) {
  for (const auto& [id, run] : checker_.histories()) {
    Watch& watch = add(*world_.random.pick(contracts_));
    watch.run_id = id;
    connect(watch, server, From::kStart);
    watch.exchange->read(SimExchange::kAll);
  }
}

void Viewers::check_all_read() {
  for (const auto& watch : watches_) {
    if (watch.run_id && !watch.is_done() && !is_deleted(watch)) {
      world_.violate("v", watch.number, " could not read ", *watch.run_id, " to its end");
    }
    const long ours = 1 + checker_.attendance().holds(*watch.exchange);
    if (watch.exchange.use_count() > ours) world_.violate("the stream of v", watch.number, " is held after its end");
  }
}

}  // namespace braidlog::sim
