#include "viewers.h"

#include <algorithm>

namespace braidlog::sim {

namespace {

constexpr std::size_t kViewersMax = 8;

std::string in_one_line(std::string_view frames) {
  std::string text(frames.substr(0, 400));
  std::ranges::replace(text, '\n', '|');
  return text;
}

}  // namespace

void Viewers::act(SimServer& server) {
  auto& random = world_.random;
  const auto& runs = checker_.histories();
  if (runs.empty()) return;
  if (viewers_.size() < kViewersMax && (viewers_.empty() || random.percent(40))) {
    const auto run = std::next(runs.begin(), static_cast<std::ptrdiff_t>(random.below(runs.size())));
    const auto dice = random.below(10);
    return connect(add(run->first), server, dice == 0 ? From::kBogus : dice == 1 ? From::kAnyEvent : From::kStart);
  }
  Viewer& viewer = *std::next(viewers_.begin(), static_cast<std::ptrdiff_t>(random.below(viewers_.size())));
  if (!viewer.is_watching()) {
    return connect(viewer, server, random.percent(80) ? From::kLastSeen : From::kBogus);
  }
  const auto dice = random.below(100);
  if (dice < 30) {
    world_.trace.say("viewer", "v", viewer.number, " leaves");
    viewer.exchange->leave();
  } else if (dice < 55) {
    world_.trace.say("viewer", "v", viewer.number, " stops reading");
    viewer.exchange->stop_reading();
  } else if (dice < 80) {
    viewer.exchange->read(static_cast<std::size_t>(random.between(1, 600)));
  } else {
    viewer.exchange->read(SimExchange::kAll);
  }
}

Viewers::Viewer& Viewers::add(RunId run_id) {
  viewers_.push_back({.number = static_cast<int>(viewers_.size()) + 1, .run_id = run_id});
  return viewers_.back();
}

void Viewers::connect(Viewer& viewer, SimServer& server, From from) {
  HttpRequest request;
  request.target = "/api/v1/runs/" + to_prefixed(viewer.run_id) + "/stream";
  split_target(request);
  request.headers.push_back({"Authorization", "Bearer ann"});
  const auto [offset, id] = resume_place(viewer, from);
  if (!id.empty()) request.headers.push_back({"Last-Event-ID", id});
  world_.trace.say("viewer", "v", viewer.number, " watches ", viewer.run_id, id.empty() ? "" : " after ", id);
  viewer.start = offset;
  viewer.sent = 0;
  viewer.has_all = false;
  viewer.generation = server.generation();
  SimExchange::Watcher watcher;
  watcher.sent = [this, &viewer](std::string_view bytes) { on_sent(viewer, bytes); };
  watcher.finished = [this, &viewer] { on_finished(viewer); };
  watcher.responded = [this, &viewer, troubles = world_.troubles](const HttpResponse& response) {
    on_responded(viewer, response, troubles);
  };
  viewer.exchange = server.receive(std::move(request), std::move(watcher));
  if (world_.random.percent(25)) viewer.exchange->stop_reading();
}

RunHistory::Place Viewers::resume_place(const Viewer& viewer, From from) {
  const RunHistory& run = run_of(viewer);
  switch (from) {
    case From::kStart: return {};
    case From::kLastSeen: return run.last_whole_frame(viewer.has());
    case From::kBogus: return {0, bogus_id(run)};
    case From::kAnyEvent: break;
  }
  // Of another contract perhaps: the event may have no frame in this one. But somebody was sent what is there by then.
  const auto shown = shown_.find(viewer.run_id);
  const auto newest = parse_event_id(run.last_whole_frame(shown == shown_.end() ? 0 : shown->second).event_id);
  if (!newest) return {};
  const auto last = static_cast<std::int64_t>(newest->sequence.value);
  const Sequence sequence{static_cast<std::uint64_t>(world_.random.between(1, last))};
  RunHistory::Place place{run.offset_after(sequence), {}};
  append_event_id(place.event_id, {run.id(), sequence, std::nullopt});
  return place;
}

// Of another run, from the future, or no id at all: each counts as none.
std::string Viewers::bogus_id(const RunHistory& run) {
  EventId id{run.id(), {run.state().last.value + 1'000'000}, std::nullopt};
  std::string text;
  switch (world_.random.below(3)) {
    case 0: return "evt_nonsense";
    case 1:
      id.run_id.value.bytes[15] ^= 1;
      id.sequence = {1};
      [[fallthrough]];
    default: append_event_id(text, id); return text;
  }
}

void Viewers::on_sent(Viewer& viewer, std::string_view bytes) {
  const std::string& stream = run_of(viewer).bytes();
  const std::size_t at = viewer.start + viewer.sent;
  viewer.sent += bytes.size();
  shown_[viewer.run_id] = std::max(shown_[viewer.run_id], at + bytes.size());
  if (at + bytes.size() > stream.size()) {
    return world_.violate("v", viewer.number, " is shown what is not in the log: ", in_one_line(bytes));
  }
  if (std::string_view(stream).substr(at, bytes.size()) != bytes) {
    world_.violate("v", viewer.number, " is shown other bytes than the log has at ", at, ": ", in_one_line(bytes));
  }
}

void Viewers::on_finished(Viewer& viewer) {
  const RunHistory& run = run_of(viewer);
  if (!run.ended() || viewer.start + viewer.sent != run.bytes().size()) {
    world_.violate("the stream of v", viewer.number, " looks complete, and is not");
  }
}

void Viewers::on_responded(Viewer& viewer, const HttpResponse& response, std::uint64_t troubles_before) {
  const RunHistory& run = run_of(viewer);
  world_.trace.say("viewer", "v", viewer.number, " is told ", response.status);
  viewer.has_all = response.status == 204;
  if (response.status == 204) {
    const bool nothing_left = run.ended() && viewer.start == run.bytes().size();
    if (!nothing_left) world_.violate("v", viewer.number, " is told that it has everything, and it has not");
    return;
  }
  const bool deleted = response.status == 404 && !world_.tables.sessions.contains(run.state().request.session_id);
  const bool excused = response.status == 503 && (world_.troubles != troubles_before || world_.is_disturbed());
  if (!deleted && !excused) world_.violate("v", viewer.number, " cannot watch: ", response.status, " ", response.body);
  viewer.exchange->leave();
}

void Viewers::server_gone(unsigned generation) {
  for (auto& viewer : viewers_) {
    if (viewer.exchange && viewer.generation == generation) viewer.exchange->server_gone();
  }
}

void Viewers::check_caught_up(const SimServer& server) {
  if (world_.two_owners) return;  // the server that lost the run cannot know what the other wrote
  for (const auto& viewer : viewers_) {
    if (!viewer.is_watching() || viewer.generation != server.generation()) continue;
    const RunHistory& run = run_of(viewer);
    if (!viewer.exchange->is_answered()) {
      world_.violate("v", viewer.number, " was never answered");
    } else if (viewer.exchange->unsent_bytes() == 0 && viewer.start + viewer.sent != run.bytes().size()) {
      world_.violate("v", viewer.number, " was left behind at ", viewer.start + viewer.sent, " of ",
                     run.bytes().size());
    } else if (viewer.exchange->unsent_bytes() == 0 && run.ended() && !viewer.exchange->is_complete()) {
      world_.violate("v", viewer.number, " was not told that the run is over");
    }
  }
}

void Viewers::read_on(SimServer& server) {
  for (auto& viewer : viewers_) {
    if (viewer.is_done()) continue;
    if (!viewer.is_watching()) connect(viewer, server, From::kLastSeen);
    viewer.exchange->read(SimExchange::kAll);
  }
}

void Viewers::watch_every_run(SimServer& server) {
  for (const auto& [id, run] : checker_.histories()) {
    Viewer& viewer = add(id);
    connect(viewer, server, From::kStart);
    viewer.exchange->read(SimExchange::kAll);
  }
}

void Viewers::check_all_read() {
  for (const auto& viewer : viewers_) {
    const RunHistory& run = run_of(viewer);
    const bool deleted = !world_.tables.sessions.contains(run.state().request.session_id);
    if (!viewer.is_done() && !deleted) {
      world_.violate("v", viewer.number, " could not read ", viewer.run_id, " to its end");
    }
    if (viewer.exchange.use_count() > 1) world_.violate("the stream of v", viewer.number, " is held after its end");
  }
}

}  // namespace braidlog::sim
